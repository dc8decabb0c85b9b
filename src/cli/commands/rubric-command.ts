import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
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
import { CliError, EXIT } from '../errors.ts'
import type { Options } from '../options.ts'
import { inert, oneLine, pad, tally } from '../output/text.ts'
import { consoleCommand, groupCommand } from '../session.ts'
import { asTyped, type Shell } from '../shell.ts'

/** Loads the shipped rubrics and the rubrics of VERIDICT_RUBRICS. */
const knownRubrics = ({ env }: Pick<Shell, 'env'>): LoadedRubric[] =>
  loadConfiguredRubrics(readEnvironment(env).rubrics ?? [])

const BEGIN = 'Begin a rubric of your own: veridict rubric new ID'

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
    BEGIN,
  ])
}

const TEMPLATE = fileURLToPath(new URL('../rubric/template/tests-run@1', import.meta.url))
const NAME = /^([a-z][a-z0-9-]{0,80})(?:@([1-9]\d{0,5}))?$/

const newRubric = consoleCommand<Options & { readonly in: string; readonly from?: string }, [typed: string]>(
  {
    name: 'new',
    about: 'write the folder of a rubric that works, to be changed',
    args: { '<id>': 'its name in small letters, digits and -; with @N for a version other than the next' },
    options: [
      ['--in <folder>', 'the folder of the new folder', undefined, '.'],
      ['--from <rubric>', 'begin with a copy of this rubric: a name, or a folder'],
    ],
    help: [
      'An existing folder is never changed. Exit codes: 0 written; 1 the folder exists, or its name cannot be used.',
      `Examples:
  veridict rubric new files-deleted                                 one question, yes or no
  veridict rubric new my-failures --from failure-attribution        steps, agents, kinds
  veridict rubric new my-failures --from my-failures@1              the next version of your own: my-failures@2`,
    ],
  },
  async (console, options, typed) => {
    const [, id, version] = NAME.exec(typed) ?? []
    if (id === undefined)
      throw new CliError(`${typed} is no id of a rubric: write small letters, digits and -, as in files-deleted`)
    const from = options.from === undefined ? undefined : findRubrics(console.shell, options.from)[0]
    const next = version ?? String(from?.rubric.id === id ? from.rubric.version + 1 : 1)
    const name = `${id}@${next}`
    const folder = join(options.in, name)
    if (existsSync(folder))
      throw new CliError(`${folder} is there already, and is left as it is`, [
        `Another version: veridict rubric new ${id}@${Number(next) + 1}`,
      ])
    // A copy of the template still asks the question of the template.
    const title = from === undefined && { title: `"${id}, which still asks whether the agent ran the tests"` }
    copyRubric(from?.folder ?? TEMPLATE, folder, { id, version: next, ...title })
    const text = `wrote ${folder}
The rubric works as it stands. Change it (docs/rubrics.md), and after each change:
  veridict rubric check ${folder}
  veridict rubric test ${folder}
Then grade with it:
  VERIDICT_RUBRICS=${folder} veridict grade RUN -g TRUTH --rubric ${name} --judge openai
`
    return { data: { name, folder }, text: asTyped(console.shell, text) }
  },
)

/** Copies the folder with other members in its manifest, whole or not at all. */
function copyRubric(from: string, folder: string, members: Readonly<Record<string, string>>): void {
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

const checkRubrics = consoleCommand<Options, [folders: string[]]>(
  {
    name: 'check',
    about: 'print every fault with its file, its line and the remedy',
    args: { '<folder...>': 'a rubric, or a folder of several' },
    help: [
      'Faults keep a rubric from loading: a service with the rubric refuses to start. Warnings name rules that the author hardly means.',
      'Exit codes: 0 no fault (warnings do not count); 1 no such folder; 2 faults.',
      `Examples:
  veridict rubric check ./files-deleted@1
  veridict rubric check rubrics/             every rubric in a folder`,
    ],
  },
  async (console, _options, typed) => {
    const { write } = console
    const folders = typed.flatMap((path) => {
      if (isFolder(path)) return rubricFolders(path)
      throw new CliError(`there is no folder ${path}`, [BEGIN])
    })
    const checked = folders.map((folder) => {
      const examples = readExamples(folder)
      const read = readRubric(folder)
      const faults = [read, ...examples].flatMap((part) => ('faults' in part ? part.faults : []))
      if ('faults' in read) return { folder, name: folder, faults, warnings: [] }
      return { folder, name: read.rubric.name, faults, warnings: warningsOf(read, examples.length) }
    })
    for (const { folder, name, faults, warnings } of checked) {
      const findings = tally({ faults: faults.length, warnings: warnings.length })
      const texts = [...faults, ...warnings, `${folder}  ${findings || `${name} is well`}`]
      await write(texts.map((text) => `${inert(text)}\n`).join(''))
    }
    return { data: checked, code: checked.some(({ faults }) => faults.length > 0) ? EXIT.unverified : EXIT.graded }
  },
)

function warningsOf({ rubric, folder, placeOf }: LoadedRubric, examples: number): string[] {
  const none = `${join(folder, 'examples')}  warning: has no example: write one.yaml, so that \`veridict rubric test\` has something to run`
  return [
    ...rubricWarnings(rubric).map((issue) => `${placeOf(issue)}  warning: ${issue.message}`),
    ...(examples === 0 ? [none] : []),
  ]
}

const showRubric = consoleCommand<Options & { readonly schema?: boolean }, [typed: string]>(
  {
    name: 'show',
    about: 'print the prompt of a judge: system.md and question.md',
    args: { '<rubric>': 'id@version, an id for its newest version, or a folder' },
    options: [['--schema', 'print the JSON Schema of a judge’s answer instead, which is made of the claims']],
    help: [
      'Exit codes: 0 shown; 1 no such rubric, or a rubric with faults.',
      `Examples:
  veridict rubric show ./files-deleted@1 --schema
  veridict rubric show injection@1`,
    ],
  },
  async (console, { schema }, typed) => {
    const all = findRubrics(console.shell, typed).map(({ rubric }) => rubric)
    const data = all.map(({ name, system, question, answer_schema }) => ({ name, system, question, answer_schema }))
    const texts = data.map(({ system, question, answer_schema }) =>
      schema ? JSON.stringify(answer_schema, null, 2) : `${system}\n${question}`,
    )
    // Tabs and line breaks stay; other controls would act on a terminal.
    return { data, text: texts.map((text) => `${text.split('\n').map(inert).join('\n')}\n`).join('') }
  },
)

const testRubrics = consoleCommand<Options, [rubrics: string[]]>(
  {
    name: 'test',
    about: 'run the examples of rubrics through the service itself: no network, nothing is stored',
    args: { '[rubric...]': 'names or folders; default: the shipped rubrics and the rubrics of VERIDICT_RUBRICS' },
    help: [
      'An example (examples/*.yaml) holds a run, its truth, the reply of a judge, and the expected grade (docs/rubrics.md).',
      'Exit codes: 0 all pass; 1 an example fails, or a rubric has no example, or cannot be loaded.',
      `Examples:
  veridict rubric test
  veridict rubric test ./files-deleted@1 injection`,
    ],
  },
  async (console, _options, typed) => {
    const { shell, write } = console
    const { runExamples } = await import('../../boot/rubric-examples.ts')
    const all = typed.length === 0 ? knownRubrics(shell) : typed.flatMap((name) => findRubrics(shell, name))
    const unique = [...new Map(all.map((loaded) => [loaded.rubric.name, loaded])).values()]
    const ends: (End & { readonly rubric: string })[] = []
    for await (const { rubric: loaded, results } of runExamples(unique)) {
      const { name } = loaded.rubric
      await write(`${styleText('bold', name)}  ${inert(loaded.folder)}\n`)
      const none = {
        example: 'examples',
        passed: false,
        faults: [`has no example: write ${loaded.folder}/examples/one.yaml`],
      }
      for (const end of results.length === 0 ? [none] : results.map(endOf)) {
        ends.push({ rubric: name, ...end })
        await write(endText(end))
      }
    }
    const failed = ends.filter(({ passed }) => !passed).length
    const text = `\n${count(ends.length, 'example')} · ${tally({ passed: ends.length - failed, failed })}\n`
    return { data: ends, text, code: failed > 0 ? EXIT.refused : EXIT.graded }
  },
)

interface End {
  readonly example: string
  readonly passed: boolean
  readonly faults: readonly string[]
}

function endOf({ name: example, file, faults, differences, grade }: ExampleResult): End {
  if (faults.length + differences.length === 0) return { example, passed: true, faults: [] }
  const why = [
    ...(grade?.unmet ?? []).map(({ claim, reason }) => `${claim}: ${reason}`),
    ...(grade?.contradictions ?? []).map(({ code, detail }) => `${code}: ${detail}`),
    ...(grade?.receipt.attempts ?? []).flatMap(({ message }) => message ?? []),
  ]
  const reasons = [...new Set(why)].map((reason) => `the grade says: ${reason}`)
  return { example, passed: false, faults: [file, ...faults, ...differences.map(differenceText), ...reasons] }
}

function endText({ example, passed, faults }: End): string {
  const verdict = passed ? styleText('green', 'ok  ') : styleText('red', 'FAIL')
  return `  ${verdict}  ${oneLine(example)}\n${faults.map((text) => `        ${oneLine(text)}\n`).join('')}`
}

const differenceText = ({ what, expected, got }: Difference): string =>
  `${pad(what, 16)} - ${JSON.stringify(expected) ?? 'absent'}  + ${JSON.stringify(got) ?? 'absent'}`

export const rubric = groupCommand(
  {
    name: 'rubric',
    about: 'write, check, show and test rubrics: the questions about a run, and their proof',
    help: [
      `A rubric is a folder: rubric.yaml (claims, their proof, the outcome), system.md, question.md and examples/.
docs/rubrics.md teaches how to write one.`,
      `In this order:
  veridict rubric new files-deleted
  veridict rubric check ./files-deleted@1
  veridict rubric test ./files-deleted@1
  VERIDICT_RUBRICS=./files-deleted@1 veridict grade run.json -g truth.json --rubric files-deleted@1 --judge openai`,
    ],
  },
  [newRubric, checkRubrics, showRubric, testRubrics],
)
