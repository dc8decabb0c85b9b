import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRubric } from '../domain/rubric/parse-rubric.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { parseYaml } from './yaml.ts'

/** A rubric, and its files as one text to keep beside its digest. */
export interface LoadedRubric {
  readonly rubric: Rubric
  readonly content: string
}

/** Loads every folder of `directory`. Throws one error that names each fault of each rubric: a service with a broken one does not start. */
export function loadRubrics(directory: string): LoadedRubric[] {
  const faults: string[] = []
  const loaded: LoadedRubric[] = []
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    try {
      loaded.push(loadRubric(join(directory, entry.name), entry.name))
    } catch (error) {
      faults.push(`${entry.name}: ${(error as Error).message}`)
    }
  }
  if (faults.length > 0) throw new Error(`rubrics that cannot be used:\n${faults.join('\n')}`)
  if (loaded.length === 0) throw new Error(`no rubric in ${directory}`)
  return loaded
}

function loadRubric(folder: string, name: string): LoadedRubric {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const source = {
    manifest: readManifest(folder, read('rubric.yaml')),
    system: read('system.md'),
    question: read('question.md'),
  }
  const parsed = parseRubric(source)
  if (!parsed.ok) throw new Error(parsed.error.map((issue) => `${issue.path} ${issue.message}`).join('; '))
  if (parsed.value.name !== name) throw new Error(`the folder must be named ${parsed.value.name}`)
  return { rubric: parsed.value, content: JSON.stringify(source) }
}

/** The parsed manifest of a rubric as `npm run rubrics` writes it beside the YAML; it counts for exactly that text. */
export interface ParsedManifest {
  readonly sha256: string
  readonly manifest: unknown
}

export const PARSED_MANIFEST = 'rubric.parsed.json'

export const manifestDigest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A rubric whose file was not written, or is of another text, is parsed here. */
function readManifest(folder: string, text: string): unknown {
  const file = join(folder, PARSED_MANIFEST)
  if (!existsSync(file)) return parseYaml(text)
  const { sha256, manifest } = JSON.parse(readFileSync(file, 'utf8')) as ParsedManifest
  return sha256 === manifestDigest(text) ? manifest : parseYaml(text)
}
