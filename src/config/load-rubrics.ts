import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Issue } from '../domain/result.ts'
import { parseRubric } from '../domain/rubric/parse-rubric.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { placeOf } from './rubric-places.ts'
import { parseYaml } from './yaml.ts'

/** A rubric, and its files as one text to keep beside its digest. */
export interface LoadedRubric {
  readonly rubric: Rubric
  readonly folder: string
  readonly content: string
}

const MANIFEST = 'rubric.yaml'

/**
 * Loads every rubric of some folders: each is a rubric itself, or holds some. Throws one error that names each fault with its file and its line:
 * a service with a broken rubric does not start.
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
    else faults.push(`${folder}: ${known.folder} is ${read.rubric.name}, too; give one of them another version`)
  }
  if (faults.length > 0) throw new Error(`rubrics that cannot be used:\n${faults.join('\n')}`)
  return [...loaded.values()]
}

/** The folder itself where it is a rubric, else those in it that are. */
function rubricFolders(folder: string): string[] {
  if (existsSync(join(folder, MANIFEST))) return [folder]
  const inside = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  const rubrics = inside.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name))
  if (rubrics.length === 0) throw new Error(`no rubric in ${folder}: it has no ${MANIFEST}, and no folder of one`)
  return rubrics
}

/** One rubric, or what is wrong with it: file, line and remedy. */
export function readRubric(folder: string): LoadedRubric | { readonly faults: readonly string[] } {
  const files: Record<string, string> = {}
  const missing = [MANIFEST, 'system.md', 'question.md'].filter((file) => {
    const path = join(folder, file)
    if (!existsSync(path)) return true
    files[file] = readFileSync(path, 'utf8')
    return false
  })
  if (missing.length > 0)
    return { faults: missing.map((file) => `${join(folder, file)}: is missing; \`veridict rubric new\` writes one`) }
  const yaml = files[MANIFEST] ?? ''
  const told = (issue: Issue) => `${join(folder, placeOf(issue, files))}  ${issue.message}`
  try {
    const source = {
      manifest: readManifest(folder, yaml),
      system: files['system.md'] ?? '',
      question: files['question.md'] ?? '',
    }
    const parsed = parseRubric(source)
    if (!parsed.ok) return { faults: parsed.error.map(told) }
    const { name } = parsed.value
    if (name !== basename(resolve(folder)))
      return { faults: [`${folder}: the folder must be named ${name}, as its ${MANIFEST} says`] }
    return { rubric: parsed.value, folder, content: JSON.stringify(source) }
  } catch (error) {
    return { faults: [`${join(folder, MANIFEST)}  ${(error as Error).message}`] }
  }
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
