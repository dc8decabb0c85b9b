import { Command } from 'commander'
import type { TrialItem } from '../../archives/trials/trial-item.ts'
import { given } from '../../domain/given.ts'
import type { Session } from '../client/session.ts'
import { collect } from './command-options.ts'

export interface TrialsOptions {
  readonly groundTruth?: string
  readonly signals?: readonly string[]
  readonly variant?: string
}

/** Builds a command over trials: paths, ground truths, signals, variant. */
export const pathsCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument(
      '<path...>',
      'folders, trajectory files, .tar, .tar.gz, .tar.zst and .zip of them, or NDJSON of grade requests',
    )
    .option('-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else each trial’s own')
    .option('--signals <spec>', 'where a trial says appeared, executed or resolved; may be repeated', collect)
    .option('--variant <name>', 'a name for what sets these trials apart, kept in their metadata')

/** Reads the trials of a command until Ctrl-C. `warn` receives warnings about no single trial. */
export const openTrials = (
  { shell, signal, connection }: Session,
  paths: readonly string[],
  { groundTruth, signals, variant, rubric }: TrialsOptions & { readonly rubric?: string },
  warn: (text: string) => void,
): AsyncIterable<TrialItem> =>
  shell.readTrials(paths, {
    signals: signals ?? [],
    abort: signal,
    onMissing: warn,
    ...(connection.limits !== null && { limits: connection.limits }),
    ...given({ ground_truth: groundTruth, variant, rubric }),
  })
