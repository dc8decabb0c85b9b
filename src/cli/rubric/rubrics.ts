import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Difference, ExampleResult } from '../../boot/rubric-examples.ts'
import { readEnvironment } from '../../config/environment.ts'
import {
  type LoadedRubric,
  loadConfiguredRubrics,
  loadRubrics,
  readExamples,
  readRubric,
  rubricFolders,
} from '../../config/rubrics.ts'
import { rubricWarnings } from '../../domain/rubric/load/parse-rubric.ts'
import { count } from '../../domain/words.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { inert, oneLine, type Paint, pad, paintFor } from '../output/text.ts'
import { asTyped } from '../program-name.ts'
import type { Console } from '../session.ts'
import type { Shell } from '../shell.ts'

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

export interface ShowOptions {
  readonly json?: boolean
  readonly schema?: boolean
}

/** Prints the prompt of rubrics, or with `schema` the JSON Schema of a judge’s answer. */
export async function showRubric(console: Console, typed: string, { schema }: ShowOptions): Promise<ExitCode> {
  const found = findRubrics(console.shell, typed).map(({ rubric }) => rubric)
  console.data = found.map(({ name, system, question, answer_schema }) => ({ name, system, question, answer_schema }))
  for (const rubric of found) {
    const text = schema ? JSON.stringify(rubric.answer_schema, null, 2) : `${rubric.system}\n${rubric.question}`
    // Tabs and line breaks stay; other controls would act on a terminal.
    await console.target.write(`${text.split('\n').map(inert).join('\n')}\n`)
  }
  return EXIT.graded
}

/** Loads rubrics, and prints every fault and every doubtful rule. */
export async function checkRubrics(console: Console, typed: readonly string[]): Promise<ExitCode> {
  const { shell, target } = console
  const folders = typed.flatMap((path) => {
    if (!isFolder(path))
      throw new CliError(`there is no folder ${path}`, ['Begin a rubric of your own: veridict rubric new ID'])
    return rubricFolders(path)
  })
  const paint = paintFor(shell.out, shell.env)
  const checked = folders.map((folder) => {
    const examples = readExamples(folder)
    const read = readRubric(folder)
    const faults = [read, ...examples].flatMap((part) => ('faults' in part ? part.faults : []))
    const warnings = 'faults' in read ? [] : warningsOf(read, examples.length)
    return { folder, name: 'faults' in read ? folder : read.rubric.name, faults, warnings }
  })
  for (const { folder, name, faults, warnings } of checked) {
    for (const text of [...faults, ...warnings]) await target.write(`${inert(text)}\n`)
    const findings = [
      ...(faults.length > 0 ? [paint('red', count(faults.length, 'fault'))] : []),
      ...(warnings.length > 0 ? [paint('yellow', count(warnings.length, 'warning'))] : []),
    ]
    await target.write(`${inert(folder)}  ${findings.join(', ') || paint('green', `${name} is well`)}\n`)
  }
  console.data = checked
  return checked.some(({ faults }) => faults.length > 0) ? EXIT.unverified : EXIT.graded
}

function warningsOf({ rubric, folder, placeOf }: LoadedRubric, examples: number): string[] {
  const none = `${join(folder, 'examples')}  warning: has no example: write one.yaml, so that \`veridict rubric test\` has something to run`
  return [
    ...rubricWarnings(rubric).map((issue) => `${placeOf(issue)}  warning: ${issue.message}`),
    ...(examples === 0 ? [none] : []),
  ]
}

export interface NewOptions {
  readonly json?: boolean
  readonly in: string
  readonly from?: string
}

const TEMPLATE = fileURLToPath(new URL('template/tests-run@1', import.meta.url))
const NAME = /^([a-z][a-z0-9-]{0,80})(?:@([1-9]\d{0,5}))?$/

/** Writes the folder of a new rubric, a copy under its own name that passes `check` and `test`. */
export async function newRubric(console: Console, typed: string, options: NewOptions): Promise<ExitCode> {
  const { shell, target } = console
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
  console.data = { name, folder }
  await target.write(asTyped(shell, text))
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
export async function testRubrics(console: Console, typed: readonly string[]): Promise<ExitCode> {
  const { shell, target } = console
  const { runExamples } = await import('../../boot/rubric-examples.ts')
  const paint = paintFor(shell.out, shell.env)
  const rubrics = typed.length === 0 ? knownRubrics(shell) : typed.flatMap((name) => findRubrics(shell, name))
  const unique = [...new Map(rubrics.map((loaded) => [loaded.rubric.name, loaded])).values()]
  const ends: { rubric: string; example: string | null; passed: boolean; faults: readonly string[] }[] = []
  for await (const { rubric: loaded, results } of runExamples(unique)) {
    const { folder } = loaded
    const rubric = loaded.rubric.name
    await target.write(`${paint('bold', rubric)}  ${inert(folder)}\n`)
    for (const result of results) {
      const { name: example, faults, differences } = result
      const passed = faults.length + differences.length === 0
      ends.push({
        rubric,
        example,
        passed,
        faults: [...faults, ...differences.map((one) => differenceText(one, plain))],
      })
      await target.write(passed ? `  ${paint('green', 'ok')}    ${oneLine(example)}\n` : failure(result, paint))
    }
    if (results.length > 0) continue
    const fault = `has no example: write ${inert(folder)}/examples/one.yaml`
    ends.push({ rubric, example: null, passed: false, faults: [fault] })
    await target.write(`  ${paint('red', 'FAIL')}  ${fault}\n`)
  }
  console.data = ends
  const failed = ends.filter(({ passed }) => !passed).length
  const counts = `passed ${ends.length - failed}${failed > 0 ? ` · failed ${failed}` : ''}`
  await target.write(`\n${count(ends.length, 'example')} · ${counts}\n`)
  return failed > 0 ? EXIT.refused : EXIT.graded
}

const plain: Paint = (_style, text) => text

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
