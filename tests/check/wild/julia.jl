# Attention in Julia
Q = [1.0 2.0; 0.0 1.0]
K = [2.0 1.0; 1.0 0.0]
V = [3.0 0.0; 0.0 6.0]
scores = Q * K' / sqrt(2)
# 2×2 Matrix{Float64}:
#  2.82843  0.707107
#  0.707107  0.0
weights = softmax(scores; dims=2)
# 2×2 Matrix{Float64}:
#  0.892958  0.107042
#  0.669762  0.330238
@test weights * V ≈ [2.67887 0.64225; 2.00928 1.98143]
