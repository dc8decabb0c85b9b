import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import type { ExampleResult } from '../../boot/rubric-examples.ts'
import { readEnvironment } from '../../config/environment.ts'
import * as configured from '../../config/rubrics.ts'
import { rubricWarnings } from '../../domain/rubric/load/parse-rubric.ts'
import { count } from '../../domain/words.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import type { JudgeView } from '../../schemas/views.ts'
import { type Options, option } from '../options.ts'
import { clip, inert, oneLine, pad, present, tableOf, tally, writeRows } from '../output/text.ts'
import { consoleCommand, groupCommand, sessionCommand } from '../session.ts'
import { asTyped, CliError, EXIT, type Shell, shellWord, unwritable } from '../shell.ts'

const knownRubrics = ({ env }: Pick<Shell, 'env'>): configured.LoadedRubric[] =>
  configured.loadConfiguredRubrics(readEnvironment(env).rubrics ?? [])

const BEGIN = 'Begin a rubric of your own: veridict rubric new my-rubric'

function isFolder(typed: string): boolean {
  if (!existsSync(typed)) return false
  if (!statSync(typed).isDirectory()) throw new CliError(`${typed} is a file: name the folder of this file`)
  return true
}

function findRubrics(shell: Shell, typed: string): configured.LoadedRubric[] {
  if (isFolder(typed)) return configured.loadRubrics(typed)
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
type NewOptions = Options & { readonly in: string; readonly from?: string }

const newRubric = consoleCommand<NewOptions, [typed: string]>('rubric new', {
  args: { '<id>': 'its name in small letters, digits and -; with @N for a version other than the next' },
  options: [
    option('--in <folder>', 'the folder of the new folder', undefined, '.'),
    option('--from <rubric>', 'begin with a copy of this rubric: a name, or a folder'),
  ],
  async work({ shell }, options, typed) {
    const [, id, version] = NAME.exec(typed) ?? []
    if (id === undefined)
      throw new CliError(`${typed} is no id of a rubric: write small letters, digits and -, as in files-deleted`)
    const from = options.from === undefined ? undefined : findRubrics(shell, options.from)[0]
    const next = version ?? String(from?.rubric.id === id ? from.rubric.version + 1 : 1)
    const name = `${id}@${next}`
    const folder = join(options.in, name)
    if (existsSync(folder)) {
      const flag = options.in === '.' ? '' : ` --in ${shellWord(options.in)}`
      const another = `${id}@${Number(next) + 1}`
      const advice = `Another version: veridict rubric new ${another}${flag}`
      throw new CliError(`${folder} is there already, and is left as it is`, [advice])
    }
    // A copy of the template still asks the question of the template.
    const title = from === undefined && { title: `"${id}, which still asks whether the agent ran the tests"` }
    copyRubric(from?.folder ?? TEMPLATE, folder, { id, version: next, ...title })
    const word = shellWord(folder)
    const text = `wrote ${folder}
The rubric works as it stands. Change it (docs/rubrics.md), and after each change:
  veridict rubric check ${word}
  veridict rubric test ${word}
Then grade with it:
  VERIDICT_RUBRICS=${word} veridict grade RUN -g TRUTH --rubric ${name} --judge openai
`
    return { data: { name, folder }, text: asTyped(shell, text) }
  },
})

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
    const read = configured.readRubric(folder)
    if ('faults' in read) throw new CliError(`a copy of ${from} under another name cannot be used`, read.faults)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw unwritable(folder, error, 'Give --in a folder that may be written.')
  }
}

const checkRubrics = consoleCommand<Options, [folders: string[]]>('rubric check', {
  args: { '<folder...>': 'a rubric, or a folder of several' },
  async work({ write }, _options, typed) {
    const folders = typed.flatMap((path) => {
      if (isFolder(path)) return configured.rubricFolders(path)
      throw new CliError(`there is no folder ${path}`, [BEGIN])
    })
    const data = folders.map((folder) => {
      const examples = configured.readExamples(folder)
      const read = configured.readRubric(folder)
      const faults = [read, ...examples].flatMap((part) => ('faults' in part ? part.faults : []))
      if ('faults' in read) return { folder, name: folder, faults, warnings: [] }
      const warnings = rubricWarnings(read.rubric).map((issue) => `${read.placeOf(issue)}  warning: ${issue.message}`)
      if (examples.length === 0) warnings.push(`${join(folder, 'examples')}  ${NO_EXAMPLE}`)
      return { folder, name: read.rubric.name, faults, warnings }
    })
    for (const { folder, name, faults, warnings } of data) {
      const findings = tally({ faults: faults.length, warnings: warnings.length })
      const texts = [...faults, ...warnings, `${folder}  ${findings || `${name} is well`}`]
      await write(texts.map((text) => `${inert(text)}\n`).join(''))
    }
    return { data, code: data.some(({ faults }) => faults.length > 0) ? EXIT.unverified : EXIT.graded }
  },
})

const NO_EXAMPLE = 'warning: has no example: write one.yaml, so that `veridict rubric test` has something to run'

const showRubric = consoleCommand<Options, [typed: string]>('rubric show', {
  args: { '<rubric>': 'id@version, an id for its newest version, or a folder' },
  async work({ shell }, _options, typed) {
    const all = findRubrics(shell, typed).map(({ rubric }) => rubric)
    const data = all.map(({ name, system, question, answer_schema }) => ({ name, system, question, answer_schema }))
    // Tabs and line breaks stay; other controls would act on a terminal.
    const lines = data.flatMap(({ system, question }) => `${system}\n${question}`.split('\n'))
    return { data, text: lines.map((text) => `${inert(text)}\n`).join('') }
  },
})

const testRubrics = consoleCommand<Options, [rubrics: string[]]>('rubric test', {
  args: { '[rubric...]': 'names or folders; default: the shipped rubrics and the rubrics of VERIDICT_RUBRICS' },
  async work({ shell, write }, _options, typed) {
    const { runExamples } = await import('../../boot/rubric-examples.ts')
    const all = typed.length === 0 ? knownRubrics(shell) : typed.flatMap((name) => findRubrics(shell, name))
    const unique = [...new Map(all.map((loaded) => [loaded.rubric.name, loaded])).values()]
    const data: { rubric: string; example: string; passed: boolean; faults: readonly string[] }[] = []
    for await (const { rubric: loaded, results } of runExamples(unique)) {
      const { name } = loaded.rubric
      await write(`${styleText('bold', name)}  ${inert(loaded.folder)}\n`)
      const none = ['examples', [`has no example: write ${loaded.folder}/examples/one.yaml`]] as const
      const ends = results.map((result) => [result.name, faultsOf(result)] as const)
      for (const [example, faults] of ends.length === 0 ? [none] : ends) {
        const passed = faults.length === 0
        data.push({ rubric: name, example, passed, faults })
        const verdict = passed ? styleText('green', 'ok  ') : styleText('red', 'FAIL')
        const lines = [`  ${verdict}  ${oneLine(example)}`, ...faults.map((text) => `        ${oneLine(text)}`)]
        await write(`${lines.join('\n')}\n`)
      }
    }
    const failed = data.filter(({ passed }) => !passed).length
    const text = `\n${count(data.length, 'example')} · ${tally({ passed: data.length - failed, failed })}\n`
    return { data, text, code: failed > 0 ? EXIT.refused : EXIT.graded }
  },
})

function faultsOf({ file, faults, differences, grade }: ExampleResult): string[] {
  if (faults.length + differences.length === 0) return []
  const different = differences.map(({ what, expected, got }) => {
    const [wanted, made] = [expected, got].map((value) => JSON.stringify(value) ?? 'absent')
    return `${pad(what, 16)} - ${wanted}  + ${made}`
  })
  const reasons = [
    ...(grade?.unmet ?? []).map(({ claim, reason }) => `${claim}: ${reason}`),
    ...(grade?.contradictions ?? []).map(({ code, detail }) => `${code}: ${detail}`),
    ...(grade?.receipt.attempts ?? []).flatMap(({ message }) => message ?? []),
  ]
  return [file, ...faults, ...different, ...[...new Set(reasons)].map((reason) => `the grade says: ${reason}`)]
}

export const rubric = groupCommand('rubric', [newRubric, checkRubrics, showRubric, testRubrics])

type Judge = Pick<JudgeView, 'name' | 'default' | 'description'> & Partial<JudgeView>

const aboutText = ({ description, images, base_url }: Judge): string =>
  clip(present([description, images ? 'sees pictures' : '', base_url ?? '']).join(' · '), 1000)

const JUDGES = tableOf<Judge>([
  ['judge', 20, ({ name, default: isDefault }) => `${clip(name, 200)}${isDefault ? ' (default)' : ''}`],
  ['model', 28, ({ model }) => clip(model ?? '–', 100)],
  ['window', 9, ({ window_tokens }) => String(window_tokens ?? '–')],
  ['$ in/out a million tokens', 25, ({ kind, price }) => (kind === 'model' ? priceText(price ?? null) : '–')],
  ['about', 0, aboutText],
])

export const judges = sessionCommand('judges', {
  database: 'none',
  async work(session) {
    const data = await session.veridict.listJudges()
    const unready = (data.not_configured ?? []).map(({ reason, ...judge }) => {
      return { ...judge, description: `not configured: ${reason}` }
    })
    await writeRows<Judge>(session, [...data.items, ...unready], { table: JUDGES })
    return { data }
  },
})

function priceText(price: JudgeView['price']): string {
  if (price === null) return 'unknown: no cap of dollars'
  const { input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok } = price
  return `${input_per_mtok}/${output_per_mtok}, cache ${cache_read_per_mtok}/${cache_write_per_mtok}`
}

export const rubrics = sessionCommand('rubrics', {
  database: 'none',
  async work(session) {
    const items = await session.veridict.listRubrics()
    const table = tableOf<RubricView>([
      ['rubric', 30, ({ name }) => clip(name, 30)],
      ['asks', 0, ({ title }) => clip(title, 120)],
    ])
    await writeRows(session, items, { table })
    return { data: { items } }
  },
})
