import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { DEFAULT_LIMITS } from '../src/archives/unpack/limits.ts'
import { shareText, validate } from '../src/cli/commands/validate-command.ts'
import { openLocal } from '../src/cli/database.ts'
import type { Screen, Shell } from '../src/cli/shell.ts'
import type { Judge } from '../src/judges/judge.ts'
import type { Certificate } from '../src/schemas/documents.ts'
import { CONFIDENCE_LEVELS } from '../src/schemas/vocabulary.ts'
import type { Dataset } from './labelled/labelled-item.ts'
import { labelledLine, readLabelled } from './labelled.ts'
import { judgesFor } from './scripted-judges/scripted-judge.ts'

/** Prints how scripted judges agree with people, on the data of a folder: `npm run validate:scripted -- ../shared/labelled`. */
const [shared = '../shared/labelled'] = process.argv.slice(2)
const FOLDERS: Readonly<Record<Dataset, string>> = {
  'who-and-when': 'who-and-when',
  agentrx: 'agentrx',
  assebench: 'assebench',
  'assebench-planted': 'assebench',
}

async function certificateOf(
  dataset: Dataset,
  path: string,
  judge: string,
  judges: readonly Judge[],
): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-validate-'))
  const said: Buffer[] = []
  const told: Buffer[] = []
  const screen = (chunks: Buffer[]) => new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk)) as Screen
  const file = join(folder, `${dataset}.ndjson`)
  for await (const item of readLabelled(dataset, path, { limits: DEFAULT_LIMITS }))
    if (item.kind === 'labelled') writeFileSync(file, labelledLine(item), { flag: 'a' })
  const args = [file, '-j', judge, '-o', 'json']
  const shell: Shell = {
    env: { VERIDICT_DATABASE: join(folder, 'v.sqlite'), NO_COLOR: '1' },
    args: ['validate', ...args],
    out: screen(said),
    err: screen(told),
    signals: process,
    openLocal: (env, use) => openLocal(env, use, false, judges),
    setExitCode: () => {},
    exit: (code) => process.exit(code),
  }
  try {
    await validate(shell).parseAsync(args, { from: 'user' })
    if (said.length === 0) throw new Error(Buffer.concat(told).toString())
    return JSON.parse(Buffer.concat(said).toString()) as Certificate
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)}%`)

function rowsOf({ data, judge, ends, measures }: Certificate): string[] {
  const verdicts = `${ends['graded'] ?? 0} of ${data.items}`
  return measures.flatMap(({ question, of, confidence }) => {
    const levels = confidence.map(({ right }) => (right.n === 0 ? '0' : shareText(right)))
    return of.map(({ group, right, refused_right, majority, cohen_kappa }) => {
      const cells = [
        ...[
          judge.name,
          group === null ? verdicts : '',
          question,
          group ?? 'all',
          shareText(right),
          String(refused_right),
        ],
        percent(majority?.right.share ?? null),
        cohen_kappa?.value?.toFixed(2) ?? '–',
        ...(group === null ? levels : levels.map(() => '')),
      ]
      return `| ${cells.join(' | ')} |`
    })
  })
}

const HEAD = [
  'judge',
  'with a verdict',
  'question',
  'group',
  'right [95%]',
  'right, unproved',
  'majority',
  'κ',
  ...CONFIDENCE_LEVELS,
]

for (const [dataset, folder] of Object.entries(FOLDERS) as [Dataset, string][]) {
  const path = join(shared, folder)
  if (!existsSync(path)) {
    console.log(`${dataset}: skipped, ${path} is not there`)
    continue
  }
  const judges = await judgesFor(dataset, path)
  const names = [...judges.map(({ info }) => info.name), ...(dataset === 'assebench-planted' ? ['lexical'] : [])]
  console.log(`\n### ${dataset}\n\n| ${HEAD.join(' | ')} |\n|${HEAD.map(() => '---|').join('')}`)
  for (const name of names) {
    const certificate = await certificateOf(dataset, path, name, judges)
    for (const row of rowsOf(certificate)) console.log(row)
    console.error(JSON.stringify({ dataset, judge: name, citations: certificate.citations }))
    if (name === 'human') {
      const left = certificate.results.filter(({ status }) => status !== 'graded').map(({ item }) => item)
      console.error(`${left.length} without a verdict: ${left.slice(0, 20).join(', ')}${left.length > 20 ? ', …' : ''}`)
    }
  }
}
