import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inputIssues } from '../schemas/check.ts'
import { type RubricExample, RubricExampleSchema } from '../schemas/rubric.ts'
import { ACTORS } from '../schemas/vocabulary.ts'
import { readYaml } from './yaml.ts'

/** An example of a rubric, with its run in the form of a request. */
export interface LoadedExample {
  readonly file: string
  readonly example: RubricExample
  readonly trajectory: Record<string, unknown>
  /** Finds the place of a member of the file: `examples/one.yaml:7`. */
  readonly placeOf: (keys: readonly string[]) => string
}

type Read = LoadedExample | { readonly file: string; readonly faults: readonly string[] }

/** Reads the examples of a rubric's folder, in the order of their names. */
export function readExamples(folder: string): Read[] {
  const inside = join(folder, 'examples')
  if (!existsSync(inside)) return []
  const names = readdirSync(inside).filter((name) => /\.(?:yaml|yml|json)$/.test(name))
  return names.sort().map((name) => readExample(join(inside, name)))
}

function readExample(file: string): Read {
  const { value, faults: unread, lineOf } = readYaml(readFileSync(file, 'utf8'))
  if (unread.length > 0) return { file, faults: unread.map(({ line, message }) => `${file}:${line}  ${message}`) }
  const placeOf = (keys: readonly string[]): string => `${file}:${lineOf(keys)}`
  const issues = inputIssues(RubricExampleSchema, value)
  const example = value as RubricExample
  if (issues.length === 0 && (example.reply === undefined) === (example.judge === undefined))
    issues.push({ path: '', message: 'needs a reply, or judge: lexical, and not both' })
  const faults = issues.map(({ path, message }) => `${placeOf(path.split('/').slice(1))} ${path}  ${message}`)
  return faults.length > 0 ? { file, faults } : { file, example, trajectory: trajectoryOf(example.run), placeOf }
}

/** Reads a list of steps, in full or as `- actor: text`; any other list holds the records of a session. */
function trajectoryOf(run: RubricExample['run']): Record<string, unknown> {
  if (!Array.isArray(run)) return { ...run }
  const steps = run.map(stepOf)
  return steps.includes(null) ? { records: run } : { steps }
}

function stepOf(given: unknown): Record<string, unknown> | null {
  if (typeof given !== 'object' || given === null) return null
  if ('actor' in given || 'parts' in given) return { ...given }
  const members = given as Readonly<Record<string, unknown>>
  const actor = ACTORS.find((name) => Object.hasOwn(members, name))
  if (actor === undefined) return null
  const { [actor]: text, ...rest } = members
  return { actor, text, ...rest }
}
