import { loadConfig } from '../config/config.ts'
import { type LoadedExample, type LoadedRubric, readExamples } from '../config/rubrics.ts'
import type { Judge } from '../judges/judge.ts'
import type { Grade } from '../schemas/grade.ts'
import { RequestError } from '../schemas/problem.ts'
import type { RubricExample } from '../schemas/rubric.ts'
import { buildContext } from './context.ts'

/** A member of a grade that differs from its example. */
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

/**
 * Runs the examples of rubrics through the service itself, over a database in memory; only the answers of the judge are those of the examples. No
 * configuration of the machine counts: no key, no file, no network.
 */
export async function* runExamples(
  rubrics: readonly LoadedRubric[],
): AsyncGenerator<{ readonly rubric: LoadedRubric; readonly results: readonly ExampleResult[] }> {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
  const judge = answeringJudge()
  const context = await buildContext({ config, secrets, judges: [judge], loaded: rubrics, adopts_batches: false })
  try {
    for (const rubric of rubrics) {
      const results: ExampleResult[] = []
      for (const read of readExamples(rubric.folder)) {
        if ('faults' in read) {
          results.push({ file: read.file, name: read.file, faults: read.faults, differences: [], grade: null })
          continue
        }
        const { reply = '' } = read.example
        judge.answer = typeof reply === 'string' ? reply : JSON.stringify(reply)
        const { service } = context
        const request = {
          trajectory: read.trajectory,
          ground_truth: read.example.truth,
          rubric: rubric.rubric.name,
          judge: read.example.judge ?? JUDGE,
          cache: 'refresh' as const,
        }
        results.push(
          await service.grade(request).then(
            ({ grade }) => resultOf(read, grade),
            (error: unknown) => refused(read, error),
          ),
        )
      }
      yield { rubric, results }
    }
  } finally {
    await context.close()
  }
}

function answeringJudge(): Judge & { answer: string } {
  const judge: Judge & { answer: string } = {
    answer: '',
    info: {
      name: JUDGE,
      kind: 'model',
      description: 'answers what an example says',
      identity: { provider: JUDGE, base_url: null, model: JUDGE, parameters: {} },
      window_tokens: null,
      max_output_tokens: 16_000,
      images: false,
      token_factor: 1,
      structured_output: true,
      price: null,
      base_url: null,
    },
    ask() {
      const { answer: text } = judge
      return Promise.resolve({ ok: true, text, raw: text, usage: null, model_resolved: JUDGE, request_id: null })
    },
  }
  return judge
}

/** Describes the place of an example that the service refuses. */
function refused({ file, example, placeOf }: LoadedExample, error: unknown): ExampleResult {
  if (!(error instanceof RequestError)) throw error
  const faults = (error.extras.errors ?? []).map(({ path, message }) => {
    const here = path.replace(/^\/trajectory(?:\/steps|\/records)?/, '/run').replace(/^\/ground_truth/, '/truth')
    return `${placeOf(here.split('/').slice(1))} ${here}  ${message}`
  })
  return { file, name: example.name, faults, differences: [], grade: null }
}

const resultOf = ({ file, example }: LoadedExample, grade: Grade): ExampleResult => ({
  ...{ file, name: example.name, faults: [], grade },
  differences: differencesOf(example.expect, grade),
})

/** Renders the compared members of a grade in the form of an example. */
function saidOf(grade: Grade, expect: RubricExample['expect']): Record<keyof RubricExample['expect'], unknown> {
  const { status, outcome = null, label, claimed_label, confidence, claims, unmet, contradictions, citations } = grade
  return {
    ...{ status, outcome, label, claimed_label },
    confidence: confidence.reported,
    claims: Object.fromEntries(Object.keys(expect.claims ?? {}).map((id) => [id, claims?.[id]])),
    unmet: sorted(unmet.map(({ claim }) => claim)),
    contradictions: sorted(contradictions.map(({ code }) => code)),
    citations: citations.map((one) => one.status),
    failure: grade.failure?.code ?? null,
  }
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort()

const UNORDERED: ReadonlySet<string> = new Set(['unmet', 'contradictions'])

function differencesOf(expect: RubricExample['expect'], grade: Grade): Difference[] {
  const said: Readonly<Record<string, unknown>> = saidOf(grade, expect)
  return Object.entries(expect).flatMap(([what, given]): Difference[] => {
    if (what === 'claims')
      return claimDifferences(given as Record<string, unknown>, said['claims'] as Record<string, unknown>)
    const expected = UNORDERED.has(what) ? sorted(given as string[]) : given
    return isSame(expected, said[what]) ? [] : [{ what, expected, got: said[what] }]
  })
}

const claimDifferences = (expected: Record<string, unknown>, got: Readonly<Record<string, unknown>>): Difference[] =>
  Object.entries(expected).flatMap(([id, value]) =>
    isSame(value, got[id]) ? [] : [{ what: id, expected: value, got: got[id] }],
  )

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
