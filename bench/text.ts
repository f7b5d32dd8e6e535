import type { Random } from "./random.ts";

const SYLLABLES =
  "ka lo mi ter an re sto vel din pra che ou li sen mar to ni que bar ex con du il fa ment ing er".split(" ");
const WORDS = 8000;
/** The higher, the more often the frequent words come. */
const SKEW = 3;
/** Some words that JSON must escape or that take more than one byte, so that nobody is measured on ASCII alone. */
const SPECIAL_WORDS = ["naïve", "Größe", "“quoted”", "the\nnext", '"as is"', "C:\\path", "東京", "🚚", "été", "→"];
const SPECIAL_EVERY = 60;

/** Makes prose of invented words; a few words are much more frequent than the rest, as in speech. */
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
