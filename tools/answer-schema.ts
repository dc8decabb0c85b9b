import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { JudgeAnswerSchema } from '../src/schemas/judge-answer.ts'

/** Writes the answer schema beside every rubric; `--check` exits 1 where a committed file differs. */
const text = `${JSON.stringify(JudgeAnswerSchema, null, 2)}\n`
const check = process.argv.includes('--check')
for (const folder of globSync('rubrics/*/')) {
  const file = `${folder}/answer.schema.json`
  if (!check) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} differs from src/schemas/judge-answer.ts: run "npm run rubrics"`)
    process.exitCode = 1
  }
}
