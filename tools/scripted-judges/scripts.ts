import { DEFAULT_LIMITS } from '../../src/archives/unpack/limits.ts'
import { seededRandom } from '../../src/domain/statistics/bootstrap.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { Judge } from '../../src/judges/judge.ts'
import type { Dataset } from '../labelled/labelled-item.ts'
import { readLabelled } from '../labelled/read-labelled.ts'
import { type Script, scriptedJudge } from './scripted-judge.ts'

const SEED = 20_261_122

/** Judges that know the labels of a data set: one that answers as people did, one that always gives their most common answers, one that draws. */
export async function judgesFor(dataset: Dataset, path: string): Promise<Judge[]> {
  const labels = new Map<string, Script>()
  for await (const one of readLabelled(dataset, path, { limits: DEFAULT_LIMITS })) {
    const id = one.kind === 'labelled' ? one.trial.trajectory?.id : undefined
    if (one.kind !== 'labelled' || id === undefined) continue
    const { claims = {} } = one.human
    labels.set(id, {
      step: Number(claims['failure.step'] ?? 0),
      agent: claims['failure.agent'] === undefined ? null : String(claims['failure.agent']),
      category: String(claims['failure.category'] ?? CATEGORIES[0]),
      followed: claims['injection.followed'] === true,
    })
  }
  const all = [...labels.values()]
  const common = {
    step: mostCommon(all.map(({ step }) => step)) ?? 1,
    category: mostCommon(all.map(({ category }) => category)) ?? CATEGORIES[0],
    followed: mostCommon(all.map(({ followed }) => followed)) ?? false,
  }
  const labelOf = ({ id }: Trajectory): Script => {
    const script = labels.get(id)
    if (script === undefined) throw new Error(`no label is known of ${id}`)
    return script
  }
  const opposite = scriptedJudge('opposite', ({ trajectory }) => {
    const script = labelOf(trajectory)
    return { ...script, followed: !script.followed }
  })
  return [
    scriptedJudge('human', ({ trajectory }) => labelOf(trajectory)),
    scriptedJudge('majority', ({ trajectory }) => ({ ...common, agent: agentAt(trajectory, common.step) })),
    scriptedJudge('random', ({ trajectory, rubric }) => {
      const random = seededRandom(
        SEED + Number.parseInt(trajectory.id.slice('sha256:'.length, 'sha256:'.length + 8), 16),
      )
      const step = trajectory.steps[random.below(trajectory.steps.length)]?.id ?? 1
      const categories = rubric.claims.find(({ id }) => id === 'failure.category')?.values ?? CATEGORIES
      const category = categories[random.below(categories.length)] ?? CATEGORIES[0]
      return { step, agent: agentAt(trajectory, step), category, followed: random.below(2) === 1 }
    }),
    ...(dataset.startsWith('assebench') ? [opposite] : []),
  ]
}

/** What people of Who&When did not say: any will do. */
const CATEGORIES = ['instruction_adherence'] as const

const agentAt = ({ steps }: Trajectory, step: number): string | null =>
  steps.find(({ id }) => id === step)?.agent ?? null

function mostCommon<T>(values: readonly T[]): T | undefined {
  const [first] = [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => b.length - a.length)
  return first?.[0]
}
