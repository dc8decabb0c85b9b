import { loadConfig } from '../config/config.ts'
import { type LoadedExample, type LoadedRubric, readExamples } from '../config/rubrics.ts'
import type { Judge } from '../judges/judge.ts'
import { createLexicalJudge } from '../judges/lexical/lexical-judge.ts'
import type { Grade } from '../schemas/grade.ts'
import { RequestError } from '../schemas/problem.ts'
import type { RubricExample } from '../schemas/rubric.ts'
import { buildContext } from './context.ts'

export interface Difference {
  readonly what: string
  readonly expected: unknown
  readonly got: unknown
}

export interface ExampleResult {
  readonly file: string
  readonly name: string
  /** Why it could not be run: places and remedies. Then there is no grade. */
  readonly faults: readonly string[]
  readonly differences: readonly Difference[]
  readonly grade: Grade | null
}

const JUDGE = 'example'

/** Runs the examples of rubrics through the service over a database in memory, without the configuration of the machine. */
export async function* runExamples(
  rubrics: readonly LoadedRubric[],
): AsyncGenerator<{ readonly rubric: LoadedRubric; readonly results: readonly ExampleResult[] }> {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
  let text = ''
  const { own_limit: _, ...info } = createLexicalJudge().info
  const player: Judge = {
    info: {
      ...info,
      ...{ name: JUDGE, kind: 'model', description: 'answers by the reply of an example' },
      identity: { provider: JUDGE, base_url: null, model: JUDGE, parameters: {} },
      max_output_tokens: 16_000,
    },
    ask: async () => ({ ok: true, text, raw: text, usage: null, model_resolved: JUDGE, request_id: null }),
  }
  const context = await buildContext({ config, secrets, judges: [player], loaded: rubrics, adopts_batches: false })
  const run = async (read: ReturnType<typeof readExamples>[number], rubric: string): Promise<ExampleResult> => {
    const { file } = read
    if ('faults' in read) return { file, name: file, faults: read.faults, differences: [], grade: null }
    const { name, expect, reply = '', truth, judge = JUDGE } = read.example
    text = typeof reply === 'string' ? reply : JSON.stringify(reply)
    const request = { trajectory: read.trajectory, ground_truth: truth, rubric, judge, cache: 'refresh' } as const
    try {
      const { grade } = await context.service.grade(request)
      return { file, name, faults: [], differences: differencesOf(expect, grade), grade }
    } catch (error) {
      return { file, name, faults: faultsOf(error, read), differences: [], grade: null }
    }
  }
  try {
    for (const rubric of rubrics) {
      const results: ExampleResult[] = []
      for (const read of readExamples(rubric.folder)) results.push(await run(read, rubric.rubric.name))
      yield { rubric, results }
    }
  } finally {
    await context.close()
  }
}

/** Names the places of an example that the service refuses. Throws every other error. */
function faultsOf(error: unknown, { placeOf }: LoadedExample): string[] {
  if (!(error instanceof RequestError)) throw error
  return (error.extras.errors ?? []).map(({ path, message }) => {
    const here = path.replace(/^\/trajectory(?:\/steps|\/records)?/, '/run').replace(/^\/ground_truth/, '/truth')
    return `${placeOf(here.split('/').slice(1))} ${here}  ${message}`
  })
}

/** Compares the members of a grade that an example expects. The order of unmet claims and of contradictions does not count. */
function differencesOf({ claims = {}, unmet, contradictions, ...expect }: RubricExample['expect'], grade: Grade) {
  const { status, outcome = null, label, claimed_label, confidence, citations, failure } = grade
  const got: Readonly<Record<keyof RubricExample['expect'], unknown>> = {
    ...{ status, outcome, label, claimed_label, claims: null },
    confidence: confidence.reported,
    unmet: sorted(grade.unmet.map(({ claim }) => claim)),
    contradictions: sorted(grade.contradictions.map(({ code }) => code)),
    citations: citations.map(({ status }) => status),
    failure: failure?.code ?? null,
  }
  const wanted = { ...expect, unmet: unmet && sorted(unmet), contradictions: contradictions && sorted(contradictions) }
  return [...compare(wanted, got), ...compare(claims, grade.claims ?? {})]
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort()

const compare = (wanted: object, actual: Readonly<Record<string, unknown>>): Difference[] =>
  Object.entries(wanted)
    .map(([what, expected]) => ({ what, expected, got: actual[what] }))
    .filter(({ expected, got }) => expected !== undefined && JSON.stringify(expected) !== JSON.stringify(got))
