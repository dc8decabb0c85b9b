import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { ANSWER_SCHEMAS, type AnswerVersion } from '../src/schemas/judge-answer.ts'

/** Writes the answer schema beside every rubric, by the version that it names; `--check` exits 1 where a committed file differs. */
const check = process.argv.includes('--check')
for (const folder of globSync('rubrics/*/')) {
  const manifest = parse(readFileSync(`${folder}/rubric.yaml`, 'utf8')) as { answer_version?: AnswerVersion }
  const text = `${JSON.stringify(ANSWER_SCHEMAS[manifest.answer_version ?? 1], null, 2)}\n`
  const file = `${folder}/answer.schema.json`
  if (!check) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} differs from src/schemas/judge-answer.ts: run "npm run rubrics"`)
    process.exitCode = 1
  }
}
