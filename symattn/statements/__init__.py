"""General statements as frozen data: terms over letters and indexed entries, and the lines that lead from one to the
next.
"""
