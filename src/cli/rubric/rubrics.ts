import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readEnvironment } from '../../config/environment.ts'
import { readExamples } from '../../config/rubric-examples.ts'
import {
  type LoadedRubric,
  loadConfiguredRubrics,
  loadRubrics,
  PARSED_MANIFEST,
  placesIn,
  readRubric,
  rubricFolders,
} from '../../config/rubrics.ts'
import { count } from '../../domain/count.ts'
import { rubricWarnings } from '../../domain/rubric/load/rubric-warnings.ts'
import { CliError, EXIT, type ExitCode } from '../client/errors.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { inert, paintFor } from '../output/text.ts'

/** Loads the shipped rubrics and the rubrics of VERIDICT_RUBRICS. */
export const knownRubrics = ({ env }: Pick<Shell, 'env'>): LoadedRubric[] =>
  loadConfiguredRubrics(readEnvironment(env).rubrics ?? [])

export function isFolder(typed: string): boolean {
  if (!existsSync(typed)) return false
  if (!statSync(typed).isDirectory()) throw new CliError(`${typed} is a file: name the folder that it is in`)
  return true
}

/** Finds typed rubrics: a folder of one or several, `id@version`, or an id for its newest version. */
export function findRubrics(shell: Shell, typed: string): LoadedRubric[] {
  if (isFolder(typed)) return loadRubrics(typed)
  const known = knownRubrics(shell)
  const versions = known.filter(({ rubric }) => rubric.name === typed || rubric.id === typed)
  const newest = versions.sort((a, b) => b.rubric.version - a.rubric.version)[0]
  if (newest !== undefined) return [newest]
  throw new CliError(`there is no folder and no rubric ${typed}`, [
    `Rubrics: ${known.map(({ rubric }) => rubric.name).join(', ')}; VERIDICT_RUBRICS adds folders of others.`,
    'Begin one of your own: veridict rubric new ID',
  ])
}

/** Loads rubrics, and prints every fault and every doubtful rule. */
export function checkRubrics(shell: Shell, typed: readonly string[]): ExitCode {
  const folders = typed.flatMap((path) => {
    if (!isFolder(path)) throw new CliError(`there is no folder ${path}`, ['Begin path: veridict rubric new ID'])
    return rubricFolders(path)
  })
  const paint = paintFor(shell.out, shell.env)
  let faulty = 0
  for (const folder of folders) {
    const { name, faults, warnings } = examine(folder)
    for (const text of [...faults, ...warnings]) shell.out.write(`${inert(text)}\n`)
    if (faults.length > 0) faulty++
    const found = [
      ...(faults.length > 0 ? [paint('red', count(faults.length, 'fault'))] : []),
      ...(warnings.length > 0 ? [paint('yellow', count(warnings.length, 'warning'))] : []),
    ]
    shell.out.write(`${inert(folder)}  ${found.join(', ') || paint('green', `${name} is well`)}\n`)
  }
  return faulty > 0 ? EXIT.unverified : EXIT.graded
}

interface Examined {
  readonly name: string
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
}

function examine(folder: string): Examined {
  const examples = readExamples(folder)
  const faults = examples.flatMap((example) => ('faults' in example ? example.faults : []))
  const read = readRubric(folder)
  if ('faults' in read) return { name: folder, faults: [...read.faults, ...faults], warnings: [] }
  const none = `${join(folder, 'examples')}  warning: has no example: write one.yaml, so that \`veridict rubric test\` has something to run`
  return {
    name: read.rubric.name,
    faults,
    warnings: [...warningsOf(read), ...(examples.length === 0 ? [none] : [])],
  }
}

function warningsOf({ rubric, folder, yaml }: LoadedRubric): string[] {
  const placeOf = placesIn(yaml)
  return rubricWarnings(rubric).map((issue) => `${join(folder, placeOf(issue))}  warning: ${issue.message}`)
}

export interface NewOptions {
  readonly in: string
  readonly from?: string
}

const TEMPLATE = fileURLToPath(new URL('template/tests-run@1', import.meta.url))
const NAME = /^([a-z][a-z0-9-]{0,80})(?:@([1-9]\d{0,5}))?$/

/** Writes the folder of a new rubric, a copy under its own name that passes `check` and `test`. */
export function newRubric(shell: Shell, typed: string, options: NewOptions): ExitCode {
  const [, id, version] = NAME.exec(typed) ?? []
  if (id === undefined)
    throw new CliError(`${typed} is no id of a rubric: write small letters, digits and -, as in files-deleted`)
  const from = options.from === undefined ? null : findRubrics(shell, options.from)[0]
  const next = from?.rubric.id === id ? from.rubric.version + 1 : 1
  const name = `${id}@${version ?? next}`
  const folder = join(options.in, name)
  if (existsSync(folder))
    throw new CliError(`${folder} is there already, and is left as it is`, [
      `Another version: veridict rubric new ${id}@${Number(version ?? next) + 1}`,
    ])
  copy(from?.folder ?? TEMPLATE, folder, id, version ?? String(next))
  const text = [
    `wrote ${folder}`,
    '  rubric.yaml      what is asked, what proves it, what follows from it',
    '  system.md        how a judge reads a record; the same for every run',
    '  question.md      the question, with {{variables}} from the truth',
    '  examples/*.yaml  a run, an answer of a judge, and what must become of it',
    '',
    'It works as it stands. Now make it yours (docs/rubrics.md), and after each change:',
    `  veridict rubric check ${folder}`,
    `  veridict rubric test ${folder}`,
    'Then grade with it:',
    `  VERIDICT_RUBRICS=${folder} veridict grade RUN -g TRUTH --rubric ${name} --judge openai`,
    '',
  ].join('\n')
  shell.out.write(asTyped(shell, text))
  return EXIT.graded
}

/** Copies the folder, whole or not at all. */
function copy(from: string, folder: string, id: string, version: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  mkdirSync(folder)
  try {
    const isOwn = (path: string): boolean => basename(path) !== PARSED_MANIFEST
    cpSync(from, folder, { recursive: true, filter: isOwn })
    const manifest = join(folder, 'rubric.yaml')
    const text = readFileSync(manifest, 'utf8')
    writeFileSync(
      manifest,
      text.replace(/^id:.*$/m, () => `id: ${id}`).replace(/^version:.*$/m, () => `version: ${version}`),
    )
    const read = readRubric(folder)
    if ('faults' in read) throw new CliError(`a copy of ${from} under another name cannot be used`, read.faults)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}
