import type { Batch } from '../../src/schemas/batch.ts'
import { isExplained } from './phases.ts'
import type { Outcome } from './recorder.ts'
import { type Metrics, type Sample, sumOf } from './sampler.ts'
import { KNOWN_REQUESTS } from './traffic.ts'

export interface Check {
  readonly name: string
  readonly promised: string
  readonly found: string
  readonly holds: boolean
}

export interface Evidence {
  readonly outcomes: readonly Outcome[]
  /** At rest: after the first phase, and after each storm; three of them at least. */
  readonly rests: readonly Sample[]
  readonly batches: readonly Batch[]
  /** At the end. */
  readonly metrics: Metrics
}

const MOST_HANDLES = 4
const MEMORY_SHARE = 1.15
const HEAP_MB = 16
const WAL_MB = 16

/** What a service must look like after the second storm, held against what the same storm had left before it. */
export function checkRun(evidence: Evidence): Check[] {
  return [...checkFlat(evidence), ...checkAnswers(evidence)]
}

function checkFlat({ rests }: Evidence): Check[] {
  const [fresh, before, after] = [rests[0], rests.at(-2), rests.at(-1)]
  if (fresh === undefined || before === undefined || after === undefined)
    throw new Error('nothing was measured at rest')
  const compare = (name: string, of: (sample: Sample) => number, most: number, promised: string): Check => ({
    name,
    promised,
    found: `${of(fresh).toFixed(1)} before the storms, ${of(before).toFixed(1)} after one, ${of(after).toFixed(1)} after two`,
    holds: of(after) <= most,
  })
  const { handles, wal_mb, heap_mb, anonymous_mb } = before
  return [
    compare('file handles', (one) => one.handles, handles + MOST_HANDLES, `at most ${MOST_HANDLES} more`),
    compare('WAL, MB', (one) => one.wal_mb, Math.max(wal_mb, WAL_MB), `at most ${WAL_MB} MB, or no more`),
    compare('heap, MB', (one) => one.heap_mb, heap_mb + HEAP_MB, `at most ${HEAP_MB} MB more`),
    compare(
      'anonymous memory, MB',
      (one) => one.anonymous_mb,
      anonymous_mb * MEMORY_SHARE,
      `at most ${MEMORY_SHARE} times as much`,
    ),
    compare('room held, MB', (one) => one.body_mb, 0, 'none'),
  ]
}

function checkAnswers({ outcomes, batches, metrics }: Evidence): Check[] {
  const strange = outcomes.filter((one) => !isExplained(one))
  const names = new Set(strange.map(({ kind, outcome, phase }) => `${kind} ${outcome} (${phase})`))
  const answered = outcomes.filter(({ kind, outcome }) => GRADERS.includes(kind) && outcome.startsWith('2')).length
  const made = answered + KNOWN_REQUESTS
  const leavers = outcomes.filter(({ kind }) => kind === 'leave').length
  const counted = sumOf(metrics, 'veridict_grades_total') - sumOf(metrics, 'veridict_grades_total', 'status="failed"')
  const server = sumOf(metrics, 'veridict_http_request_seconds_count', 'status="500"')
  return [
    {
      name: 'answers',
      promised: 'each of them explained',
      found: strange.length === 0 ? `${outcomes.length}, all explained` : `${strange.length}: ${[...names].join('; ')}`,
      holds: strange.length === 0,
    },
    { name: 'internal errors', promised: 'none', found: `${server}`, holds: server === 0 },
    {
      name: 'batches',
      promised: 'counts add up, every item ends in a grade',
      found: batches.map(({ counts }) => `${counts.graded} graded of ${counts.total}`).join(', ') || 'none',
      holds: batches.every(({ counts }) => counts.graded === counts.total),
    },
    {
      name: 'grades',
      promised: 'the service counts those that clients were given; of those who left, at most as many as there were',
      found: `${counted} counted, ${made} answered, ${leavers} left`,
      holds: counted >= made && counted <= made + leavers,
    },
  ]
}

const GRADERS: readonly string[] = ['miss', 'lexical', 'large', 'leave']
