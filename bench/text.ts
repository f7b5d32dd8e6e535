import type { Random } from "./random.ts";

const SYLLABLES =
  "ka lo mi ter an re sto vel din pra che ou li sen mar to ni que bar ex con du il fa ment ing er".split(" ");
const WORDS = 8000;
/** A higher value makes frequent words more frequent. */
const SKEW = 3;
/** Words that JSON must escape or that are not ASCII, so that not only ASCII is measured. */
const SPECIAL_WORDS = ["naïve", "Größe", "“quoted”", "the\nnext", '"as is"', "C:\\path", "東京", "🚚", "été", "→"];
const SPECIAL_EVERY = 60;

/** Generates text of invented words with a skewed distribution, as in natural language. */
export const proseMaker = (random: Random): ((length: number) => string) => {
  const words = Array.from({ length: WORDS }, () => {
    const syllables = 1 + random.below(4);
    return Array.from({ length: syllables }, () => SYLLABLES[random.below(SYLLABLES.length)]).join("");
  });
  const word = (): string => {
    if (random.below(SPECIAL_EVERY) === 0) return SPECIAL_WORDS[random.below(SPECIAL_WORDS.length)] ?? "";
    return words[Math.floor(WORDS * random.fraction() ** SKEW)] ?? "";
  };
  return (length) => {
    let text = word();
    while (text.length < length) text += (random.below(12) === 0 ? ". " : " ") + word();
    return text;
  };
};
