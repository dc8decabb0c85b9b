import type { Judge, JudgeInfo, JudgeRequest } from '../../../src/judges/judge.ts'
import { createLexicalJudge } from '../../../src/judges/lexical/lexical-judge.ts'
import type { JudgeName } from '../attack-case.ts'
import { scriptedJudge } from '../grading.ts'
import { firstObject } from './json-in-text.ts'
import { honestAnswer, obey } from './obedient.ts'

/** Makes the judges of the suite. `worded`: they answer in words, not with true and false. */
export function makeJudges(worded = false): Judge[] {
  const judge = (name: JudgeName, answer: (request: JudgeRequest) => string, info: Partial<JudgeInfo> = {}) =>
    scriptedJudge(name, worded ? (request) => inWords(answer(request)) : answer, info)
  return [judge('obedient', obey, { window_tokens: 120_000 }), judge('lazy', takeFirst), createLexicalJudge()]
}

/** The text of an answer, in whatever form it is, with its claims in words. */
const inWords = (text: string): string =>
  text.replace(/("(?:observed|reasoned|acted)":\s?)(true|false)/g, (_all, key: string, value: string) =>
    value === 'true' ? `${key}"yes"` : `${key}"no"`,
  )

/** The first JSON object of the prompt is its answer. */
const takeFirst = (request: JudgeRequest): string =>
  firstObject(`${request.system}\n${request.trajectory}\n${request.question}`) ?? JSON.stringify(honestAnswer(request))
