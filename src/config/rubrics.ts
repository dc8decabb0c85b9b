import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Issue } from '../domain/result.ts'
import { parseRubric } from '../domain/rubric/load/parse-rubric.ts'
import { RubricError } from '../domain/rubric/load/rubric-error.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { inputIssues } from '../schemas/check.ts'
import { type RubricExample, RubricExampleSchema } from '../schemas/rubric.ts'
import { ACTORS } from '../schemas/vocabulary.ts'
import { readYaml } from './yaml.ts'

/** A rubric with its folder. `content`: its files as one text, which is kept beside the digest. */
export interface LoadedRubric {
  readonly rubric: Rubric
  readonly folder: string
  readonly content: string
  /** Finds the place of an issue: `FOLDER/rubric.yaml:12 /claims/x`, `FOLDER/question.md:7`. */
  readonly placeOf: (issue: Issue) => string
}

const MANIFEST = 'rubric.yaml'

const SHIPPED_RUBRICS = fileURLToPath(new URL('../../rubrics', import.meta.url))

/** Loads the shipped rubrics, and the rubrics of the folders in VERIDICT_RUBRICS. */
export function loadConfiguredRubrics(added: readonly string[], shipped: string = SHIPPED_RUBRICS): LoadedRubric[] {
  for (const folder of added) {
    if (!existsSync(folder))
      throw new RubricError(`VERIDICT_RUBRICS: there is no folder ${folder}; make it, or remove it from the variable`)
  }
  return loadRubrics(shipped, ...added)
}

/** Loads the rubrics of folders that are rubrics or hold some. Throws one error that names each fault with file and line. */
export function loadRubrics(...folders: readonly string[]): LoadedRubric[] {
  const faults: string[] = []
  const loaded = new Map<string, LoadedRubric>()
  for (const folder of folders.flatMap(rubricFolders)) {
    const read = readRubric(folder)
    if ('faults' in read) {
      faults.push(...read.faults)
      continue
    }
    const known = loaded.get(read.rubric.name)
    if (known === undefined) loaded.set(read.rubric.name, read)
    else if (resolve(known.folder) !== resolve(folder))
      faults.push(`${folder}: ${known.folder} is ${read.rubric.name}, too; give one of them another version`)
  }
  if (faults.length > 0) throw new RubricError('rubrics that cannot be used:', faults)
  return [...loaded.values()]
}

/** Lists the folders of rubrics: the folder itself where it is a rubric, else the folders in it. */
export function rubricFolders(folder: string): string[] {
  if (existsSync(join(folder, MANIFEST))) return [folder]
  const inside = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  const rubrics = inside.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  if (rubrics.length === 0)
    throw new RubricError(
      `no rubric in ${folder}: neither the folder nor a folder in it has a ${MANIFEST}; \`veridict rubric new\` writes a rubric`,
    )
  return rubrics
}

const MOST_BYTES = 1_000_000

/** Reads the rubric of a folder, or its faults, with file, line and remedy. */
export function readRubric(folder: string): LoadedRubric | { readonly faults: readonly string[] } {
  const files: Record<string, string> = {}
  const faults: string[] = []
  for (const file of [MANIFEST, 'system.md', 'question.md']) {
    const path = join(folder, file)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isFile() === true && stat.size <= MOST_BYTES) files[file] = readFileSync(path, 'utf8')
    else
      faults.push(`${path}: is missing, or no file of at most ${MOST_BYTES} bytes; \`veridict rubric new\` writes one`)
  }
  if (faults.length > 0) return { faults }
  const manifest = join(folder, MANIFEST)
  const yaml = readYaml(files[MANIFEST] ?? '')
  if (yaml.faults.length > 0)
    return { faults: yaml.faults.map(({ line, message }) => `${manifest}:${line}  ${message}`) }
  const placeOf = ({ path }: Issue): string => {
    const [, ...keys] = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const [file = '', line] = keys
    if (file.endsWith('.md')) return join(folder, `${file}:${line}`)
    return `${manifest}:${yaml.lineOf(keys)}${path === '' ? '' : ` ${path}`}`
  }
  const source = { manifest: yaml.value, system: files['system.md'] ?? '', question: files['question.md'] ?? '' }
  const parsed = parseRubric(source)
  if (!parsed.ok) return { faults: parsed.error.map((issue) => `${placeOf(issue)}  ${issue.message}`) }
  const { name } = parsed.value
  if (name === basename(resolve(folder)))
    return { rubric: parsed.value, folder, content: JSON.stringify(source), placeOf }
  return { faults: [`${manifest}:1  says id and version ${name}: name the folder so, or change them here`] }
}

/** An example of a rubric, with its run in the form of a request. */
export interface LoadedExample {
  readonly file: string
  readonly example: RubricExample
  readonly trajectory: Record<string, unknown>
  /** Finds the place of a member of the file: `examples/one.yaml:7`. */
  readonly placeOf: (keys: readonly string[]) => string
}

/** Reads the examples of a rubric's folder, in the order of their names. */
export function readExamples(folder: string) {
  const inside = join(folder, 'examples')
  if (!existsSync(inside)) return []
  const names = readdirSync(inside).filter((name) => /\.(?:yaml|yml|json)$/.test(name))
  return names.sort().map((name) => readExample(join(inside, name)))
}

function readExample(file: string): LoadedExample | { readonly file: string; readonly faults: readonly string[] } {
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
  const steps = run.map((step: unknown) => {
    if (typeof step !== 'object' || step === null) return null
    if ('actor' in step || 'parts' in step) return { ...step }
    const actor = ACTORS.find((name) => Object.hasOwn(step, name))
    if (actor === undefined) return null
    const { [actor]: text, ...rest } = step as Readonly<Record<string, unknown>>
    return { actor, text, ...rest }
  })
  return steps.includes(null) ? { records: run } : { steps }
}
