import type { Grade } from '../api-types.ts'

type Named = Pick<Grade['metadata'], 'trial' | 'run_index' | 'variant'>

/** Names a run among the runs of its task: by its trial, else by its item of the batch, else by its index or trajectory; with its variant. */
export function trialName({ trial, run_index, variant }: Named, trajectory: string, item?: string): string {
  const run = trial || item || `run ${run_index ?? trajectory.slice(7, 15)}`
  return variant ? `${run} · ${variant}` : run
}
