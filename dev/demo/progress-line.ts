/** Numbered steps on the terminal. The line of the current step is rewritten in place. A log gets finished steps only. */
export const progressLine = (): {
  begin(title: string): void;
  update(detail: string): void;
  done(detail: string): void;
} => {
  let number = 0;
  let title = "";
  let begunAt = 0;
  const line = (detail: string): string => `${number}  ${title.padEnd(TITLE_WIDTH)}  ${detail}`;
  const rewrite = (text: string): void => void (process.stdout.isTTY && process.stdout.write(`\r\u001b[2K${text}`));
  return {
    begin: (next) => {
      number += 1;
      title = next;
      begunAt = Date.now();
      rewrite(line("..."));
    },
    update: (detail) => rewrite(line(detail)),
    done: (detail) => {
      rewrite("");
      console.log(`${line(detail)}  (${((Date.now() - begunAt) / 1000).toFixed(1)} s)`);
    },
  };
};

const TITLE_WIDTH = 48;
