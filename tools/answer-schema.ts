import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { manifestDigest, PARSED_MANIFEST, type ParsedManifest } from '../src/config/load-rubrics.ts'
import { ANSWER_SCHEMAS, type AnswerVersion } from '../src/schemas/judge-answer.ts'

/**
 * Writes beside every rubric the answer schema of the version that it names, and its manifest as a start reads it without a YAML parser;
 * `--check` exits 1 where a committed file differs.
 */
const check = process.argv.includes('--check')
for (const folder of globSync('rubrics/*/')) {
  const source = readFileSync(`${folder}/rubric.yaml`, 'utf8')
  const manifest = parse(source) as { answer_version?: AnswerVersion }
  const parsed: ParsedManifest = { sha256: manifestDigest(source), manifest }
  write(`${folder}/answer.schema.json`, ANSWER_SCHEMAS[manifest.answer_version ?? 1])
  write(`${folder}/${PARSED_MANIFEST}`, parsed)
}

function write(file: string, value: unknown): void {
  const text = `${JSON.stringify(value, null, 2)}\n`
  if (!check) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} differs from what it is made of: run "npm run rubrics"`)
    process.exitCode = 1
  }
}
