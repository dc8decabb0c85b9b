import type { Grade } from '../api-types.ts'

type Named = { readonly [K in 'trial' | 'run_index' | 'variant']?: Grade['metadata'][K] | null }

/** What tells the runs of one task apart, as far as anybody said it: its trial, else the item of a batch; else the run’s own id. */
export function trialName({ trial, run_index, variant }: Named, trajectory: string, item?: string): string {
  const run = trial || item || `run ${run_index ?? trajectory.slice(7, 15)}`
  return variant ? `${run} · ${variant}` : run
}
