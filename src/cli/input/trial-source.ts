import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { parseSignalSource, type SignalSource } from '../../archives/truth/signals.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import { CliError } from '../errors.ts'
import { oneLine } from '../output/text.ts'
import type { TrialSourceOptions } from '../shell.ts'

/** Reads trials from paths. The readers of archives load here, so that other commands start without them. */
export async function* readTrialItems(
  paths: readonly string[],
  options: TrialSourceOptions,
): AsyncGenerator<TrialItem> {
  await checkPaths(paths)
  const { ground_truth: file, limits, variant, rubric } = options
  const signals = options.signals.map(parseSignal)
  const truths = file === undefined ? null : await readTruths(file, rubric)
  const seen = truths === null ? null : watchTruths(truths)
  const { readTrials } = await import('../../archives/trials/read-trials.ts')
  const { sourceText } = await import('../../archives/trials/trial-join.ts')
  yield* readTrials(paths, {
    abort: options.abort,
    ...defined({ variant, rubric }),
    ...(limits !== undefined && { limits: { read: limits } }),
    ...(seen !== null && { groundTruths: seen.truths }),
    ...(signals.length > 0 && { signals }),
    onMissing({ source, missing, trials }) {
      options.onMissing?.(`${oneLine(sourceText(source))} holds no value in ${missing} of ${count(trials, 'trial')}`)
    },
  })
  const left = seen?.unmatched() ?? []
  if (left.length > 0) options.onMissing?.(unmatchedText(left, file ?? ''))
}

/**
 * Throws `CliError` for a missing path, and for a pipe, which is empty when it is read again. `readOnce`: further paths, which may be
 * pipes.
 */
export async function checkPaths(paths: readonly string[], readOnce: readonly string[] = []): Promise<void> {
  const missing: string[] = []
  for (const path of [...paths, ...readOnce]) {
    const entry = await stat(path).catch(({ code }: NodeJS.ErrnoException) => code)
    const isPipe = path === '-' || (typeof entry === 'object' && (entry.isFIFO() || entry.isSocket()))
    if (isPipe && !readOnce.includes(path)) throw noPipe(path)
    if (entry === 'ENOENT' || entry === 'ENOTDIR') missing.push(path)
  }
  const [first, ...more] = missing
  if (first !== undefined) throw new CliError(noSuchPath(first), more.map(noSuchPath))
}

const noPipe = (path: string): CliError =>
  new CliError(`${oneLine(path)}: standard input and pipes cannot be read twice`, [
    'Write the trials to a file first: cat … > runs.jsonl && veridict batch runs.jsonl',
  ])

const noSuchPath = (path: string): string => `no such file or folder: ${oneLine(path)}`

/** Watches ground truths, and lists their tasks and trials that matched no trial. */
export function watchTruths(truths: GroundTruths): { truths: GroundTruths; unmatched: () => string[] } {
  const tasks = new Set(truths.tasks)
  const trials = new Set(truths.trials)
  const find: GroundTruths['find'] = (names) => {
    for (const name of names.tasks) tasks.delete(name)
    for (const name of names.trials) trials.delete(name)
    return truths.find(names)
  }
  return { truths: { ...truths, find }, unmatched: () => [...tasks, ...trials] }
}

const MOST_UNMATCHED = 10

export function unmatchedText(names: readonly string[], file: string): string {
  const shown = names.slice(0, MOST_UNMATCHED).map(oneLine)
  const more = names.length > shown.length ? `, and ${names.length - shown.length} more` : ''
  return `${count(names.length, 'name')} of ${oneLine(file)} matched no trial: ${shown.join(', ')}${more}`
}

export function parseSignal(text: string): SignalSource {
  const parsed = parseSignalSource(text)
  if (parsed.ok) return parsed.value
  throw new CliError(`--signals ${oneLine(text)}: ${oneLine(parsed.error)}`, [
    'Write a signal like resolved=reward:reward>=1, or appeared=file:verifier/signals.json#/appeared',
  ])
}

/** Reads ground truths. Throws `CliError` with each faulty place. */
export async function readTruths(file: string, rubric?: string): Promise<GroundTruths> {
  const { loadGroundTruths } = await import('../../archives/truth/ground-truths.ts')
  if (!existsSync(file)) throw new CliError(`the ground truths in ${oneLine(file)} cannot be read: no such file`)
  const loaded = await loadGroundTruths(file, rubric)
  if (loaded.ok) return loaded.value
  const places = loaded.error.map(({ path, message }) => `${oneLine(path)}  ${oneLine(message)}`.trim())
  throw new CliError(`the ground truths in ${oneLine(file)} cannot be used`, places)
}
