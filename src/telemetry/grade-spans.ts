import { ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import type { GradeOutcome, GradingService, ItemOutcome } from '../grading/service.ts'
import type { Grade } from '../schemas/grade.ts'
import { tellEvaluation } from './evaluation-event.ts'
import { fail, linksTo, type Scribe, word } from './scribe.ts'
import type { Slices } from './slice-spans.ts'

/**
 * A span for every grade that is asked for. That of a batch’s item is part of its slice; where there are no slices (SQLite) it is a trace
 * of its own, which links to the request that began the batch where that was in this process.
 */
export function traceGrades(scribe: Scribe, slices: Slices, service: GradingService, project: string): GradingService {
  const common = { 'veridict.project': project }
  return {
    ...service,
    grade: (request, payer) =>
      scribe.run('grade', { attributes: common }, async (span) => {
        const outcome = await service.grade(request, payer)
        describe(span, outcome)
        return outcome
      }),
    gradeItem(request, job) {
      const { item, way } = job
      const attributes = {
        ...common,
        'veridict.way': way,
        ...(item !== null && { 'veridict.batch.id': item.batch, 'veridict.item': item.index }),
      }
      const slice = item === null ? scribe.active() : slices.of(item)
      const links = slice === undefined ? linksTo(trace.getSpanContext(scribe.active())) : []
      const grading = async (span: Span) => {
        const outcome = await service.gradeItem(request, job)
        describe(span, outcome)
        return outcome
      }
      return scribe.run('grade', { attributes, links }, grading, slice ?? ROOT_CONTEXT)
    },
  }
}

function describe(span: Span, outcome: GradeOutcome | ItemOutcome): void {
  if ('ok' in outcome) {
    if (outcome.ok) describeGrade(span, outcome.grade, outcome.cached)
    else span.setAttribute('veridict.refusal', outcome.refusal.code)
    return
  }
  span.setAttribute('veridict.outcome', outcome.kind)
  if (outcome.kind === 'graded') describeGrade(span, outcome.grade, outcome.cached)
  else if (outcome.kind === 'refused') span.setAttribute('veridict.refusal', outcome.refusal.code)
  else if (outcome.kind === 'passed_over') fail(span, outcome.failure.code)
}

/** Names come from the grade, not from the request, where they are text of the caller. */
function describeGrade(span: Span, grade: Grade, cached: boolean): void {
  const { id, status, label, failure, receipt } = grade
  const { judge, rubric, attempts, cost_usd } = receipt
  span.setAttributes({
    'veridict.grade.id': id,
    'veridict.grade.status': status,
    'veridict.grade.cached': cached,
    'veridict.attempts': attempts.length,
    ...given('veridict.grade.label', label),
    ...given('veridict.judge', word(judge)),
    ...given('veridict.rubric', word(rubric)),
    ...given('veridict.cost_usd', cost_usd),
  })
  if (failure !== null) fail(span, failure.code)
  // Told once: a grade that is answered again was not made again.
  if (!cached) tellEvaluation(span, grade)
}

const given = <T extends string | number>(name: string, value: T | null | undefined): Record<string, T> =>
  value == null ? {} : { [name]: value }
