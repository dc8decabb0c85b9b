import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { storeOf } from '../../../boot/open-store.ts'
import { count } from '../../../domain/count.ts'
import { fileFault } from '../../../domain/file-fault.ts'
import { parseJson } from '../../../domain/text/exact-json.ts'
import { type Line, LineSplitter } from '../../../domain/text/line-splitter.ts'
import type { ImportStore } from '../../../ports/transfer-ports.ts'
import { inputIssues } from '../../../schemas/check.ts'
import { EXPORT_VERSION, ExportEndSchema, ExportHeaderSchema, type ExportRecord } from '../../../schemas/transfer.ts'
import { readRecord } from '../../../storage/transfer/record-rows.ts'
import { CliError, EXIT, type ExitCode } from '../../client/cli-error.ts'
import { configurationOf } from '../../client/configuration.ts'
import { watchInterruption } from '../../client/interruption.ts'
import { commandLine, type Shell } from '../../client/shell.ts'
import { createProgressView, type ProgressView } from '../../output/progress.ts'
import { tallyText } from '../../output/transfer-text.ts'
import { clip, inert } from '../../results/terminal-text.ts'

/** A line holds one trajectory as an escaped text; a text of V8 has at most 512 Mi characters. */
const MOST_LINE_BYTES = 256 * 1024 * 1024
const MOST_RECORDS = 64
const MOST_CHARS = 4 * 1024 * 1024
/** Refused lines that are named; the others are counted. */
const MOST_NAMED = 20
const START_BYTES = 200

/** Tells whether a file begins like the output of `veridict export`. An unreadable file does not. */
export async function isExport(path: string): Promise<boolean> {
  if (path === '-') return true
  if ((await stat(path).catch(() => null))?.isFile() !== true) return false
  const [head] = await createReadStream(path, { end: START_BYTES, highWaterMark: START_BYTES }).take(1).toArray()
  return (head as Buffer | undefined)?.toString('latin1').startsWith('{"kind":"veridict_export"') === true
}

/** Reads an export into the database of the configuration. */
export async function importExport(shell: Shell, path: string): Promise<ExitCode> {
  const { config, secrets } = configurationOf(shell.env)
  const { signal, release } = watchInterruption(shell)
  const view = await createProgressView(shell.err, shell.env)
  const database = storeOf(config, secrets)
  try {
    const stores = await database.open()
    try {
      return await importLines({ shell, store: stores.imports, view, signal }, path, database.shown)
    } finally {
      await stores.close()
    }
  } catch (error) {
    if (!signal.aborted) throw error
    const again = [`The same command goes on: ${commandLine(shell)}`]
    throw new CliError('interrupted: what was read is stored', again, EXIT.interrupted)
  } finally {
    view.end()
    release()
  }
}

interface Import {
  readonly shell: Shell
  readonly store: ImportStore
  readonly view: ProgressView
  readonly signal: AbortSignal
}

async function importLines({ shell, store, view, signal }: Import, path: string, shown: string): Promise<ExitCode> {
  const added: Record<string, number> = {}
  let [stored, refused, records] = [0, 0, 0]
  let end: number | null = null
  let chunk: { readonly number: number; readonly record: ExportRecord }[] = []
  const refuse = (number: number, why: string) => {
    if (++refused <= MOST_NAMED) view.note(`refused  line ${number}: ${clip(why, 300)}`)
  }
  const flush = async () => {
    const ends = await store.put(chunk.map(({ record }) => record))
    for (const [at, { number, record }] of chunk.entries()) {
      const result = ends[at] ?? 'stored'
      if (result === 'added') added[record.kind] = (added[record.kind] ?? 0) + 1
      else if (result === 'stored') stored += 1
      else refuse(number, result.refused)
    }
    chunk = []
    view.doing(`importing: ${tallyText(added)}; ${stored} stored already`)
  }
  let chars = 0
  for await (const { number, bytes } of linesOf(path, signal)) {
    const value = bytes === null ? undefined : parseJson(bytes.toString('utf8'))
    if (number === 1) {
      assertHeader(value, path)
      continue
    }
    if (bytes?.length === 0) continue
    if (inputIssues(ExportEndSchema, value).length === 0) {
      end = (value as { readonly records: number }).records
      continue
    }
    records += 1
    const record = value === undefined ? brokenLine(bytes) : readRecord(value)
    if (typeof record === 'string') refuse(number, record)
    else chunk.push({ number, record })
    chars += bytes?.length ?? 0
    if (chunk.length < MOST_RECORDS && chars < MOST_CHARS) continue
    await flush()
    chars = 0
  }
  await flush()
  view.end()
  shell.err.write(
    `imported ${tallyText(added)} into ${inert(shown)}; ${count(stored, 'record')} stored already, ${refused} refused\n`,
  )
  if (end !== records)
    throw new CliError(`${inert(path)} is not whole: it has ${records} records of ${end ?? 'an unknown number'}`, [
      'What it has is stored. Export again, and import that file: what is stored is skipped.',
    ])
  return refused > 0 ? EXIT.failed : EXIT.graded
}

const brokenLine = (bytes: Buffer | null): string =>
  bytes === null ? `more than ${MOST_LINE_BYTES} bytes` : 'no JSON: the line is broken'

async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<Line> {
  const splitter = new LineSplitter(MOST_LINE_BYTES)
  const source = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 })
  try {
    for await (const bytes of source as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      yield* splitter.feed(bytes)
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new CliError(`${inert(path)} cannot be read: ${fileFault(error)}`)
    throw error
  }
  yield* splitter.end()
}

function assertHeader(value: unknown, path: string): void {
  const { kind, version } = (value ?? {}) as { readonly kind?: unknown; readonly version?: unknown }
  if (kind !== 'veridict_export')
    throw new CliError(`${inert(path)} is no file of \`veridict export\``, [
      'Trials cannot be read from a pipe: write them to a file first, and name that.',
    ])
  if (version !== EXPORT_VERSION || inputIssues(ExportHeaderSchema, value).length > 0)
    throw new CliError(`${inert(path)} is an export of version ${inert(String(version))}; this program reads version 1`)
}
