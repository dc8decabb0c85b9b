import type { GroundTruths } from '../archives/ground-truths.ts'
import { parseSignalSource, type SignalSource } from '../archives/signals.ts'
import type { TrialItem } from '../archives/trial-item.ts'
import { CliError } from './cli-error.ts'
import type { TrialSourceOptions } from './shell.ts'
import { oneLine } from './terminal-text.ts'

/** Reads trials from paths. What reads archives is loaded only here: other commands start without it. */
export async function* readTrialItems(
  paths: readonly string[],
  options: TrialSourceOptions,
): AsyncGenerator<TrialItem> {
  const signals = options.signals.map(parseSignal)
  const truths = options.ground_truth === undefined ? null : await readTruths(options.ground_truth)
  const { readTrials } = await import('../archives/read-trials.ts')
  const { sourceText } = await import('../archives/trial-signals.ts')
  yield* readTrials(paths, {
    abort: options.abort,
    ...(truths !== null && { groundTruths: truths }),
    ...(signals.length > 0 && { signals }),
    onMissing({ source, missing, trials }) {
      options.onMissing?.(`${oneLine(sourceText(source))} told nothing in ${missing} of ${trials} trials`)
    },
    ...(options.variant !== undefined && { variant: options.variant }),
  })
}

function parseSignal(text: string): SignalSource {
  const parsed = parseSignalSource(text)
  if (parsed.ok) return parsed.value
  throw new CliError(`--signals ${oneLine(text)}: ${oneLine(parsed.error)}`, [
    'Write it like resolved=reward:reward>=1, or appeared=file:verifier/signals.json#/appeared',
  ])
}

async function readTruths(file: string): Promise<GroundTruths> {
  const { loadGroundTruths } = await import('../archives/ground-truths.ts')
  const loaded = await loadGroundTruths(file)
  if (loaded.ok) return loaded.value
  const places = loaded.error.map(({ path, message }) => `${oneLine(path)}  ${oneLine(message)}`.trim())
  throw new CliError(`the ground truths in ${oneLine(file)} cannot be used`, places)
}
