import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { manifestDigest, PARSED_MANIFEST, type ParsedManifest } from '../src/config/rubrics.ts'

/** Writes beside every rubric its manifest as a start reads it without a YAML parser; `--check` exits 1 where a committed file differs. */
const check = process.argv.includes('--check')
for (const folder of globSync('rubrics/*/')) {
  const source = readFileSync(`${folder}/rubric.yaml`, 'utf8')
  const parsed: ParsedManifest = { sha256: manifestDigest(source), manifest: parse(source) as unknown }
  const file = `${folder}/${PARSED_MANIFEST}`
  const text = `${JSON.stringify(parsed, null, 2)}\n`
  if (!check) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} differs from what it is made of: run "npm run rubrics"`)
    process.exitCode = 1
  }
}
