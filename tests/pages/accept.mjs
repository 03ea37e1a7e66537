// Reads [{tex, display}, ...] on standard input; writes [{katex, mathjax}, ...]: null where the formula is accepted, else why not.
import { text } from "node:stream/consumers";
import katex from "katex";
import MathJax from "mathjax";

// What would be loaded on demand, or shown in red, on a page of some reader is refused here: it must work without.
await MathJax.init({
  loader: { load: ["input/tex"] },
  tex: { packages: { "[-]": ["autoload", "noundefined", "require"] } },
});

function byKatex({ tex, display }) {
  try {
    katex.renderToString(tex, { displayMode: display, throwOnError: true, strict: "error", trust: false });
    return null;
  } catch (error) {
    return error.message;
  }
}

async function byMathjax({ tex, display }) {
  try {
    const mathml = await MathJax.tex2mmlPromise(tex, { display });
    const refused = /<merror\b[^>]*?data-mjx-error="([^"]*)"/.exec(mathml);
    if (refused) return refused[1];
    if (/<merror\b/.test(mathml)) return "an error without a message";
    const shown = /<mtext\b[^>]*>([^<]*\\[^<]*)</.exec(mathml);
    return shown ? `a backslash is shown: ${shown[1].trim()}` : null;
  } catch (error) {
    return error.message;
  }
}

const verdicts = [];
for (const formula of JSON.parse(await text(process.stdin))) {
  verdicts.push({ katex: byKatex(formula), mathjax: await byMathjax(formula) });
}
process.stdout.write(JSON.stringify(verdicts) + "\n");
