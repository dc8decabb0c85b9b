import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { parseRubric } from '../domain/parse-rubric.ts'
import type { Rubric } from '../domain/rubric.ts'

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
    manifest: parse(read('rubric.yaml')) as unknown,
    system: read('system.md'),
    question: read('question.md'),
    answer_schema: JSON.parse(read('answer.schema.json')) as unknown,
  }
  const parsed = parseRubric(source)
  if (!parsed.ok) throw new Error(parsed.error.map((issue) => `${issue.path} ${issue.message}`).join('; '))
  if (parsed.value.name !== name) throw new Error(`the folder must be named ${parsed.value.name}`)
  return { rubric: parsed.value, content: JSON.stringify(source) }
}
