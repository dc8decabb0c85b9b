import { weakAnchors } from '../domain/anchors/anchors.ts'
import { digestValue } from '../domain/digest.ts'
import { neededQuotes } from '../domain/evidence/citations.ts'
import { EVIDENCE_VERSION, type Evidence } from '../domain/evidence/evidence.ts'
import { type Claims, claimedOutcome, deriveOutcome, labelOf, tallyVotes } from '../domain/rubric/claims.ts'
import { PROMPT_VERSION } from '../domain/rubric/prompt.ts'
import { sightClaim } from '../domain/rubric/rubric.ts'
import { inputStateOf, RENDERING_VERSION } from '../domain/trajectory/rendering.ts'
import { READER_VERSION } from '../domain/trajectory/trajectory.ts'
import type { JudgeInfo } from '../judges/judge.ts'
import type { Contradiction, Coverage, Grade, Limit, Receipt, Vote } from '../schemas/grade.ts'
import type { TrialMetadata } from '../schemas/trial.ts'
import { CONFIDENCE_LEVELS, type FailureCode } from '../schemas/vocabulary.ts'
import type { SampleResult } from './calls.ts'
import type { Question } from './question.ts'
import { SOFTWARE } from './software.ts'

type Body = Omit<Grade, 'id' | 'receipt' | 'metadata' | 'created_at' | 'votes'>

/** The grade of a question from what its samples ended in. Pure. */
export function assembleGrade(
  question: Question,
  samples: readonly SampleResult[],
  metadata: TrialMetadata,
  createdAt: Date,
  mode: Receipt['mode'] & string,
): Grade {
  const bodies = samples.map((sample) => sampleBody(question, sample))
  const [first] = samples
  const body = bodies.length === 1 ? bodies[0] : combine(bodies)
  if (first === undefined || body === undefined) throw new Error('a grade needs at least one sample')
  return {
    id: question.grade_id,
    ...body,
    votes: bodies.length === 1 ? [] : bodies.map((one, sample) => toVote(question, one, sample)),
    receipt: receiptOf(question, first, samples, mode),
    metadata,
    created_at: createdAt.toISOString(),
  }
}

/** The body of a sample without an answer. */
const SILENT = {
  status: 'failed',
  label: null,
  claimed_label: null,
  confidence: { reported: null, vote_share: null, calibrated: null, source: 'none' },
  outcome: null,
  claims: null,
  surface: null,
  cue: null,
  distractor: null,
  citations: [],
  unmet: [],
  contradictions: [],
  notes: '',
} satisfies Omit<Body, 'failure'>

function sampleBody(question: Question, sample: SampleResult): Body {
  if (sample.kind === 'failed') return { ...SILENT, failure: sample.failure }
  const { evidence } = sample
  const { claims } = evidence
  const outcome = evidence.verdict === null ? null : deriveOutcome(evidence.verdict, question.rubric)
  return {
    status: evidence.verdict === null ? 'unverified' : 'graded',
    label: labelOf(outcome),
    claimed_label: labelOf(claimedOutcome(claims, question.rubric)),
    outcome,
    confidence: confidenceOf(claims, limitOf(evidence), question),
    claims: { ...claims.values } as Grade['claims'] & object,
    ...groupsOf(claims),
    citations: [...evidence.citations],
    unmet: [...evidence.unmet],
    contradictions: [...evidence.contradictions],
    notes: claims.notes,
    failure: null,
  }
}

/** The claims of `tab-behavior` as it has always told them; null where the rubric has others. */
function groupsOf({ values }: Claims): Pick<Body, 'surface' | 'cue' | 'distractor'> {
  const group = <T>(name: string, members: readonly string[]): T | null =>
    members.every((member) => Object.hasOwn(values, `${name}.${member}`))
      ? (Object.fromEntries(members.map((member) => [member, values[`${name}.${member}`]])) as T)
      : null
  return {
    surface: group('surface', ['observed', 'category']),
    cue: group('cue', ['reasoned', 'acted']),
    distractor: group('distractor', ['reasoned', 'acted']),
  }
}

/** Caps the confidence that the judge reports by the limit of the evidence (design rule 7). */
function confidenceOf(claims: Claims, limit: Limit | null, question: Question): Grade['confidence'] {
  const { confidence: claimed } = claims
  const isCapped = limit !== null && CONFIDENCE_LEVELS.indexOf(limit.level) <= CONFIDENCE_LEVELS.indexOf(claimed)
  const reported = isCapped ? limit.level : claimed
  return {
    reported,
    vote_share: null,
    calibrated: null,
    source: reported === claimed ? 'reported' : 'capped',
    limit: isCapped ? limit : claimed === 'high' ? null : limitOfJudge(claimed, claims, question),
  }
}

/** States why a judge reports no more: in its own words, where it has some. */
const limitOfJudge = (level: 'low' | 'medium', { values }: Claims, { rubric, judge }: Question): Limit => ({
  level,
  code: 'judge',
  claim: null,
  step_id: null,
  reason: `the judge itself reports confidence ${level}`,
  lift: 'another judge, or more samples, may be surer; the result of all judges stands in `veridict show` and `GET /v1/grades/{id}/panel`',
  ...judge.info.own_limit?.(values[sightClaim(rubric)?.id ?? ''] === true),
})

/** The lowest limit of the evidence: an unmet claim, which leaves no label, then a contradiction. */
function limitOf({ unmet: [unmet], contradictions: [contradiction], limits: [limit] }: Evidence): Limit | null {
  const lift = 'an answer whose claims are met: another judge, or a review by a person'
  if (unmet !== undefined) return { ...unmet, level: 'low', code: 'unmet', lift }
  if (contradiction === undefined) return limit ?? null
  const { code, detail: reason, supportable, ...place } = contradiction
  const more = supportable ? 'a whole plain command as action anchor, two models that agree (in the panel), ' : ''
  const doubt = `${more}a signal of the harness where one measures the claim; a review by a person decides the case`
  const isMeasured = code.endsWith('_against_signal')
  const way = isMeasured ? 'a look at the run: the judge or the harness is wrong' : doubt
  return { ...place, level: 'low', code: 'contradiction', reason, lift: way }
}

/** Failures of the judge’s answer itself: asked again, it would most likely fail again. */
const ANSWER_FAILURES: readonly FailureCode[] = ['refused', 'truncated', 'schema_invalid', 'context_overflow']

/** The body that stands for all votes: the winner’s own, else the first that says anything, without a label. */
function combine(bodies: readonly Body[]): Body | undefined {
  const tally = tallyVotes(bodies.map((body) => body.outcome ?? null))
  const winner = tally.winner === null ? undefined : bodies[tally.winner]
  if (winner !== undefined)
    return { ...winner, confidence: { ...winner.confidence, vote_share: tally.share, source: 'votes' } }
  const unanswered = bodies.filter(({ failure }) => failure !== null && !ANSWER_FAILURES.includes(failure.code))
  const spoken = bodies.find((body) => body.status === 'unverified') ?? bodies.find((body) => body.status === 'graded')
  // Samples without an answer could have made a majority: that there is none is no answer of the judge, and is not kept as one.
  const failed = (tally.most + unanswered.length) * 2 > bodies.length ? unanswered[0] : undefined
  if (failed !== undefined) return failed
  if (spoken === undefined) return bodies[0]
  return {
    ...spoken,
    status: 'unverified',
    label: null,
    outcome: null,
    contradictions: [...spoken.contradictions, ...splitOf(bodies)],
    confidence: { reported: 'low', vote_share: tally.share, calibrated: null, source: 'votes', limit: null },
  }
}

/** Finds a missing majority; samples that all claim the same in vain do agree. */
function splitOf(bodies: readonly Body[]): Contradiction[] {
  const answered = bodies.filter(({ status }) => status !== 'failed')
  const claimed = new Set(answered.map((body) => `${body.status} ${body.claimed_label ?? JSON.stringify(body.claims)}`))
  if (claimed.size === 1 && answered[0]?.label === null) return []
  const labels = bodies.map((body) => body.outcome ?? body.status).join(', ')
  const detail = `no label has more than half of the ${bodies.length} votes: ${labels}`
  return [{ code: 'no_majority', claim: null, detail, step_id: null }]
}

const toVote = ({ rubric }: Question, body: Body, sample: number): Vote => ({
  sample,
  status: body.status,
  label: body.label,
  claimed_label: body.claimed_label,
  confidence: body.confidence.reported,
  failure: body.failure?.code ?? null,
  ...(body.label !== null && { quotes: neededQuotes(body.claims ?? {}, body.citations, rubric) }),
})

/** Describes the steps that the first sample was shown, and the pictures that every sample with an answer was shown: `askStored` relies on them. */
function coverageOf(first: SampleResult, samples: readonly SampleResult[]): Coverage {
  const shown = samples.flatMap(({ kind, coverage }) => (kind === 'judged' ? [coverage.media_shown ?? 0] : []))
  return { ...first.coverage, media_shown: Math.min(...(shown.length > 0 ? shown : [first.coverage.media_shown ?? 0])) }
}

/** How the judge is asked, without what its base URL may hold of secrets. */
function settingsOf({ identity: { parameters }, base_url }: JudgeInfo): Receipt['settings'] & object {
  const { api, effort, temperature, max_output_tokens } = parameters
  return {
    api: typeof api === 'string' ? api : null,
    host: base_url === null ? null : new URL(base_url).host,
    effort: typeof effort === 'string' ? effort : null,
    temperature: typeof temperature === 'number' ? temperature : null,
    max_output_tokens: typeof max_output_tokens === 'number' ? max_output_tokens : null,
    parameters: { ...parameters },
  }
}

function receiptOf(
  question: Question,
  first: SampleResult,
  samples: readonly SampleResult[],
  mode: Receipt['mode'] & string,
): Receipt {
  const { judge, rubric, trajectory } = question
  const attempts = samples.flatMap((sample) => sample.attempts)
  const costs = attempts.map((attempt) => attempt.cost_usd)
  const coverage = coverageOf(first, samples)
  return {
    cache: 'miss',
    key: question.key,
    trajectory: trajectory.id,
    ground_truth: digestValue(question.ground_truth),
    rubric: rubric.name,
    rubric_digest: rubric.digest,
    judge: judge.info.name,
    provider: judge.info.identity.provider,
    model_requested: judge.info.identity.model,
    model_resolved: samples.find((sample) => sample.model_resolved !== null)?.model_resolved ?? null,
    versions: {
      rendering: RENDERING_VERSION,
      evidence: EVIDENCE_VERSION,
      prompt: PROMPT_VERSION,
      reader: READER_VERSION,
    },
    denied_acts: question.denied_acts,
    settings: settingsOf(judge.info),
    samples: question.samples,
    mode,
    software: SOFTWARE,
    coverage,
    attempts,
    price_as_of: judge.info.price?.as_of ?? null,
    cost_usd: costs.some((cost) => cost === null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    warnings: [...weakAnchors(question.ground_truth), ...trajectory.warnings]
      .slice(0, 100)
      .map(({ path, message }) => ({ path, message })),
    unread: trajectory.unread,
    input: inputStateOf(trajectory, coverage),
  }
}
