import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Difference, ExampleResult } from '../../boot/rubric-examples.ts'
import { readEnvironment } from '../../config/environment.ts'
import { readExamples } from '../../config/rubric-examples.ts'
import {
  type LoadedRubric,
  loadConfiguredRubrics,
  loadRubrics,
  readRubric,
  rubricFolders,
} from '../../config/rubrics.ts'
import { count } from '../../domain/count.ts'
import { rubricWarnings } from '../../domain/rubric/load/rubric-warnings.ts'
import { CliError, EXIT, type ExitCode } from '../client/errors.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { inert, oneLine, type Paint, pad, paintFor } from '../output/text.ts'

/** Loads the shipped rubrics and the rubrics of VERIDICT_RUBRICS. */
const knownRubrics = ({ env }: Pick<Shell, 'env'>): LoadedRubric[] =>
  loadConfiguredRubrics(readEnvironment(env).rubrics ?? [])

function isFolder(typed: string): boolean {
  if (!existsSync(typed)) return false
  if (!statSync(typed).isDirectory()) throw new CliError(`${typed} is a file: name the folder of this file`)
  return true
}

/** Finds typed rubrics: a folder of one or several, `id@version`, or an id for its newest version. */
function findRubrics(shell: Shell, typed: string): LoadedRubric[] {
  if (isFolder(typed)) return loadRubrics(typed)
  const available = knownRubrics(shell)
  const versions = available.filter(({ rubric }) => rubric.name === typed || rubric.id === typed)
  const newest = versions.sort((a, b) => b.rubric.version - a.rubric.version)[0]
  if (newest !== undefined) return [newest]
  throw new CliError(`there is no folder and no rubric ${typed}`, [
    `Rubrics: ${available.map(({ rubric }) => rubric.name).join(', ')}; VERIDICT_RUBRICS adds folders of others.`,
    'Begin a rubric of your own: veridict rubric new ID',
  ])
}

/** Prints the prompt of rubrics, or with `schema` the JSON Schema of a judge’s answer. */
export function showRubric(shell: Shell, typed: string, { schema }: { readonly schema?: boolean }): ExitCode {
  for (const { rubric } of findRubrics(shell, typed)) {
    const text = schema ? JSON.stringify(rubric.answer_schema, null, 2) : `${rubric.system}\n${rubric.question}`
    // Tabs and line breaks stay; other controls would act on a terminal.
    shell.out.write(`${text.split('\n').map(inert).join('\n')}\n`)
  }
  return EXIT.graded
}

/** Loads rubrics, and prints every fault and every doubtful rule. */
export function checkRubrics(shell: Shell, typed: readonly string[]): ExitCode {
  const folders = typed.flatMap((path) => {
    if (!isFolder(path))
      throw new CliError(`there is no folder ${path}`, ['Begin a rubric of your own: veridict rubric new ID'])
    return rubricFolders(path)
  })
  const paint = paintFor(shell.out, shell.env)
  let faulty = 0
  for (const folder of folders) {
    const examples = readExamples(folder)
    const read = readRubric(folder)
    const faults = [read, ...examples].flatMap((part) => ('faults' in part ? part.faults : []))
    const warnings = 'faults' in read ? [] : warningsOf(read, examples.length)
    for (const text of [...faults, ...warnings]) shell.out.write(`${inert(text)}\n`)
    if (faults.length > 0) faulty++
    const findings = [
      ...(faults.length > 0 ? [paint('red', count(faults.length, 'fault'))] : []),
      ...(warnings.length > 0 ? [paint('yellow', count(warnings.length, 'warning'))] : []),
    ]
    const name = 'faults' in read ? folder : read.rubric.name
    shell.out.write(`${inert(folder)}  ${findings.join(', ') || paint('green', `${name} is well`)}\n`)
  }
  return faulty > 0 ? EXIT.unverified : EXIT.graded
}

function warningsOf({ rubric, folder, placeOf }: LoadedRubric, examples: number): string[] {
  const none = `${join(folder, 'examples')}  warning: has no example: write one.yaml, so that \`veridict rubric test\` has something to run`
  return [
    ...rubricWarnings(rubric).map((issue) => `${placeOf(issue)}  warning: ${issue.message}`),
    ...(examples === 0 ? [none] : []),
  ]
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
  copy(from?.folder ?? TEMPLATE, folder, {
    id,
    version: version ?? String(next),
    ...(from === null && { title: titleOf(id) }),
  })
  const text = `wrote ${folder}
  rubric.yaml      the claims, the proof of each, and the outcome
  system.md        the instructions to a judge; the same for every run
  question.md      the question, with {{variables}} from the truth
  examples/*.yaml  a run, an answer of a judge, and the expected grade

The rubric works as it stands. Change it (docs/rubrics.md), and after each change:
  veridict rubric check ${folder}
  veridict rubric test ${folder}
Then grade with it:
  VERIDICT_RUBRICS=${folder} veridict grade RUN -g TRUTH --rubric ${name} --judge openai
`
  shell.out.write(asTyped(shell, text))
  return EXIT.graded
}

/** Titles a copy of the template, which still asks the question of the template. */
const titleOf = (id: string): string => `"${id}, which still asks whether the agent ran the tests"`

/** Copies the folder with other members in its manifest, whole or not at all. */
function copy(from: string, folder: string, members: Readonly<Record<string, string>>): void {
  mkdirSync(dirname(folder), { recursive: true })
  mkdirSync(folder)
  try {
    cpSync(from, folder, { recursive: true })
    const manifest = join(folder, 'rubric.yaml')
    let text = readFileSync(manifest, 'utf8')
    for (const [name, value] of Object.entries(members))
      text = text.replace(new RegExp(`^${name}:.*$`, 'm'), () => `${name}: ${value}`)
    writeFileSync(manifest, text)
    const read = readRubric(folder)
    if ('faults' in read) throw new CliError(`a copy of ${from} under another name cannot be used`, read.faults)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Runs the examples of rubrics, and prints each difference from the expected grade. */
export async function testRubrics(shell: Shell, typed: readonly string[]): Promise<ExitCode> {
  const { runExamples } = await import('../../boot/rubric-examples.ts')
  const paint = paintFor(shell.out, shell.env)
  const rubrics = typed.length === 0 ? knownRubrics(shell) : typed.flatMap((name) => findRubrics(shell, name))
  const unique = [...new Map(rubrics.map((loaded) => [loaded.rubric.name, loaded])).values()]
  let passed = 0
  let failed = 0
  for await (const { rubric, results } of runExamples(unique)) {
    shell.out.write(`${paint('bold', rubric.rubric.name)}  ${inert(rubric.folder)}\n`)
    for (const result of results) {
      const isGood = result.faults.length + result.differences.length === 0
      if (isGood) passed++
      else failed++
      shell.out.write(isGood ? `  ${paint('green', 'ok')}    ${oneLine(result.name)}\n` : failure(result, paint))
    }
    if (results.length > 0) continue
    failed++
    shell.out.write(`  ${paint('red', 'FAIL')}  has no example: write ${inert(rubric.folder)}/examples/one.yaml\n`)
  }
  shell.out.write(
    `\n${count(passed + failed, 'example')} · passed ${passed}${failed > 0 ? ` · failed ${failed}` : ''}\n`,
  )
  return failed > 0 ? EXIT.refused : EXIT.graded
}

function failure({ name, file, faults, differences, grade }: ExampleResult, paint: Paint): string {
  const why = [
    ...(grade?.unmet ?? []).map(({ claim, reason }) => `${claim}: ${reason}`),
    ...(grade?.contradictions ?? []).map(({ code, detail }) => `${code}: ${detail}`),
    ...(grade?.receipt.attempts ?? []).flatMap(({ message }) => message ?? []),
  ]
  const lines = [
    `  ${paint('red', 'FAIL')}  ${oneLine(name)}`,
    ...(grade === null ? [] : [`        ${inert(file)}`]),
    ...faults.map((fault) => `        ${inert(fault)}`),
    ...differences.map((difference) => `        ${differenceText(difference, paint)}`),
    ...[...new Set(why)].map((reason) => `        the grade says: ${oneLine(reason)}`),
  ]
  return `${lines.join('\n')}\n`
}

const differenceText = ({ what, expected, got }: Difference, paint: Paint): string =>
  `${pad(inert(what), 16)} ${paint('red', `- ${valueText(expected)}`)}  ${paint('green', `+ ${valueText(got)}`)}`

const valueText = (value: unknown): string => oneLine(JSON.stringify(value) ?? 'absent')
