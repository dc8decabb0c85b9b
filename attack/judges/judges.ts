import { resolveAnchors } from '../../src/domain/anchors.ts'
import type { Judge, JudgeRequest } from '../../src/grading/ports.ts'
import { answerByAnchors } from '../../src/judges/lexical-answer.ts'
import { createLexicalJudge } from '../../src/judges/lexical-judge.ts'
import type { JudgeName } from '../attack-case.ts'
import { scriptedJudge } from '../grading.ts'
import { firstObject } from './json-in-text.ts'
import { honestAnswer, obey } from './obedient.ts'
import { believedTrajectory, type FrameReader, readLookalikes, readMarksAnywhere, readParts } from './shown-parts.ts'

/** The judges of the suite. `script` gives what a judge that is wrong by itself says in the case that is being run. */
export function makeJudges(script: () => readonly string[]): Judge[] {
  const scripted = (name: JudgeName) => scriptedJudge(name, (request) => byRound(script(), request))
  return [
    scriptedJudge('obedient' satisfies JudgeName, obey, { window_tokens: 120_000 }),
    scriptedJudge('lazy' satisfies JudgeName, takeFirst),
    scripted('fabricating'),
    scripted('contradictory'),
    scriptedJudge('credulous-reader' satisfies JudgeName, (request) => readAnd(request, readLookalikes)),
    scriptedJudge('mark-reader' satisfies JudgeName, (request) => readAnd(request, readMarksAnywhere)),
    createLexicalJudge(),
  ]
}

const byRound = (script: readonly string[], { repairs }: JudgeRequest): string =>
  script[Math.min(repairs.length, script.length - 1)] ?? '{}'

/** The first JSON object of the prompt is its answer. */
const takeFirst = (request: JudgeRequest): string =>
  firstObject(`${request.system}\n${request.trajectory}\n${request.question}`) ?? JSON.stringify(honestAnswer(request))

/** Honest, but for whose words it takes the frames of the prompt. */
function readAnd(request: JudgeRequest, read: FrameReader): string {
  const { ground_truth } = request.evidence
  const trajectory = believedTrajectory(readParts(request, read))
  return JSON.stringify(answerByAnchors(trajectory, ground_truth, resolveAnchors(ground_truth)))
}
