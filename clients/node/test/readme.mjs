// Writes each program of README.md to a file of its own, for the server that HS_URL names.
import { readFileSync, writeFileSync } from "node:fs";

const [, , page, folder] = process.argv;
const programs = readFileSync(page, "utf8").matchAll(/^```js\n([\s\S]*?)^```$/gm);
let number = 0;
for (const [, program] of programs) {
  const { host, searchParams } = new URL(process.env.HS_URL.replace("hs:", "http:"));
  const text = program
    .replace("127.0.0.1:9998", host)
    .replace("9999", searchParams.get("write_port"));
  writeFileSync(`${folder}/readme_${++number}.mjs`, text);
}
