import type { Batch } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Known } from './human.ts'
import { say } from './printing.ts'
import type { Service } from './service.ts'
import { type Trial, VARIANTS } from './trials.ts'

const SIGNALS = ['appeared=file:verifier/signals.json#/appeared', 'executed=file:verifier/signals.json#/executed']

/** `veridict import` of each job folder: requests that name their trajectories by id. */
export async function importArchive(service: Service): Promise<void> {
  for (const variant of VARIANTS) {
    const words = ['import', variant, '-g', 'truths.ndjson', '--variant', variant, '--out', `${variant}.ndjson`]
    await service.veridict(...words, ...SIGNALS.flatMap((signal) => ['--signals', signal]))
    say(`$ veridict ${words.join(' ')} --signals …`)
  }
}

export interface Batches {
  readonly lexical: string
  readonly played: string
}

/** Both variants by `lexical`, then the same again by the played judge, three samples each; Terminal-Bench runs by `lexical` alone. */
export async function gradeByBoth(service: Service): Promise<Batches> {
  const run = async (...words: readonly string[]): Promise<string> => {
    say(`$ veridict ${words.join(' ')}`)
    const output = await service.veridict(...words)
    say(`${tail(output)}\n`)
    const { items } = await service.get<{ items: Batch[] }>('/v1/batches?limit=1')
    return items[0]?.id ?? ''
  }
  await run('batch', 'terminal-bench.ndjson', '--judge', 'lexical', '--name', 'terminal-bench')
  const lexical = await run('batch', 'tab.ndjson', 'tab-defended.ndjson', '--judge', 'lexical', '--name', 'lexical')
  const played = await run('regrade', '--batch', lexical, '--judge', 'played', '--samples', '3', '--name', 'played')
  return { lexical, played }
}

/** The counts that a batch ends with. */
const tail = (output: string): string => output.trimEnd().split('\n').slice(-3).join('\n')

/** All grades of a batch. */
export async function readGrades(service: Service, batch: string): Promise<readonly Grade[]> {
  const grades: Grade[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: { items: Grade[]; next_cursor: string | null } = await service.get(
      `/v1/grades?batch=${batch}&limit=200${after}`,
    )
    grades.push(...page.items)
    cursor = page.next_cursor
  }
  return grades
}

/** By the trajectory’s digest; a trial’s folder ends in its marker. */
export function knownTrials(trials: readonly Trial[], grades: readonly Grade[]): Known {
  const byEnd = new Map(trials.map((trial) => [`${trial.task}__${trial.marker.slice(-4)}`, trial]))
  return new Map(
    grades.flatMap(({ receipt, metadata }) => {
      const trial = byEnd.get(String(metadata.trial ?? '').slice(0, -3))
      return trial === undefined ? [] : [[receipt.trajectory, trial] as const]
    }),
  )
}
