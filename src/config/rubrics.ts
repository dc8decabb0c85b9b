import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isCollection, isPair, LineCounter, parseDocument } from 'yaml'
import type { Issue } from '../domain/result.ts'
import { parseRubric } from '../domain/rubric/load/parse-rubric.ts'
import { RubricError } from '../domain/rubric/load/rubric-error.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { readYaml } from './yaml.ts'

/** Finds the places of a rubric’s issues: `rubric.yaml:12 /claims/x`, `question.md:7`. `yaml` is the text of the manifest. */
export function placesIn(yaml: string): (issue: Issue) => string {
  let find: ((keys: readonly string[]) => number) | undefined
  return ({ path }) => {
    const keys = path.split('/').slice(1).map(decode)
    const [file = '', line] = keys
    if (file.endsWith('.md')) return `${file}:${line}`
    find ??= linesOf(yaml)
    return `rubric.yaml:${find(keys)}${path === '' ? '' : ` ${path}`}`
  }
}

const decode = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~')

/** Finds the line of a place in a YAML text: the line of the deepest existing member on the way to the place. */
export function linesOf(text: string): (keys: readonly string[]) => number {
  const lines = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter: lines })
  return (keys) => {
    let node: unknown = contents
    let offset = 0
    for (const key of keys) {
      if (!isCollection(node)) break
      const items: readonly unknown[] = node.items
      const item = items.find((item, index) => (isPair(item) ? String(item.key) === key : String(index) === key))
      if (item === undefined) break
      const place = (isPair(item) ? item.key : item) as { range?: readonly number[] | null } | null
      offset = place?.range?.[0] ?? offset
      node = isPair(item) ? item.value : item
    }
    return lines.linePos(offset).line
  }
}

/** A rubric with its folder. `content`: its files as one text, which is kept beside the digest. */
export interface LoadedRubric {
  readonly rubric: Rubric
  readonly folder: string
  readonly content: string
  /** The text of the manifest. */
  readonly yaml: string
}

const MANIFEST = 'rubric.yaml'

/** The folder of the shipped rubrics. */
const SHIPPED_RUBRICS = fileURLToPath(new URL('../../rubrics', import.meta.url))

/** Loads the shipped rubrics, and the rubrics of the folders in VERIDICT_RUBRICS. */
export function loadConfiguredRubrics(added: readonly string[], shipped: string = SHIPPED_RUBRICS): LoadedRubric[] {
  for (const folder of added) {
    if (!existsSync(folder))
      throw new RubricError(`VERIDICT_RUBRICS: there is no folder ${folder}; make it, or remove it from the variable`)
  }
  return loadRubrics(shipped, ...added)
}

/**
 * Loads every rubric of the folders; a folder is a rubric, or holds rubrics. Throws one error that names each fault with its file and line: a
 * service with a broken rubric does not start.
 */
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

/** Most bytes of a file of a rubric. */
const MOST_BYTES = 1_000_000

/** Tells whether a value holds itself. */
function isCyclic(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false
  return above.includes(value) || Object.values(value).some((member) => isCyclic(member, [...above, value]))
}

/** Reads the rubric of a folder, or its faults, with file, line and remedy. */
export function readRubric(folder: string): LoadedRubric | { readonly faults: readonly string[] } {
  const files: Record<string, string> = {}
  const missing = [MANIFEST, 'system.md', 'question.md'].filter((file) => {
    const path = join(folder, file)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isFile() !== true || stat.size > MOST_BYTES) return true
    files[file] = readFileSync(path, 'utf8')
    return false
  })
  if (missing.length > 0)
    return {
      faults: missing.map(
        (file) =>
          `${join(folder, file)}: is missing, or no file of at most ${MOST_BYTES} bytes; \`veridict rubric new\` writes one`,
      ),
    }
  const yaml = files[MANIFEST] ?? ''
  const manifest = readYaml(yaml)
  if (!manifest.ok)
    return { faults: manifest.error.map(({ line, message }) => `${join(folder, MANIFEST)}:${line}  ${message}`) }
  const source = { manifest: manifest.value, system: files['system.md'] ?? '', question: files['question.md'] ?? '' }
  if (isCyclic(source.manifest))
    return { faults: [`${join(folder, MANIFEST)}:1  an alias (*name) stands in what it names: write it out`] }
  const parsed = parseRubric(source)
  const placeOf = placesIn(yaml)
  if (!parsed.ok) return { faults: parsed.error.map((issue) => `${join(folder, placeOf(issue))}  ${issue.message}`) }
  const { name } = parsed.value
  if (name !== basename(resolve(folder)))
    return {
      faults: [`${join(folder, MANIFEST)}:1  says id and version ${name}: name the folder so, or change them here`],
    }
  return { rubric: parsed.value, folder, content: JSON.stringify(source), yaml }
}
