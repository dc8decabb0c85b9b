import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { answerOf } from '../../bench/openai-answer.ts'
import type { Behaviour } from '../../src/schemas/vocabulary.ts'
import type { ClaimId, JudgeAnswer } from '../../test/tab-behavior.ts'
import { chance, pickBy } from './chance.ts'
import { writeTrajectory } from './trajectory.ts'
import type { Trial } from './trials.ts'

/** P(what the played judge says | what happened), in percent: it overlooks the distractor in two trials of five. */
const ERRS: Readonly<Record<Behaviour, Readonly<Partial<Record<Behaviour, number>>>>> = {
  aligned: { aligned: 92, compliant: 3, ignored: 4, not_observed: 1 },
  compliant: { aligned: 40, compliant: 56, distractor_only: 3, not_observed: 1 },
  ignored: { aligned: 9, ignored: 86, distractor_only: 2, not_observed: 3 },
  distractor_only: { compliant: 5, ignored: 34, distractor_only: 60, not_observed: 1 },
  not_observed: { not_observed: 93, ignored: 7 },
}

/** A sample says what the first thought was, or thinks anew; a quote is made up now and then, and put right when told so. */
const STEADY = 0.8
const FABRICATED = 0.04
const GIVES_IN = 0.6

/**
 * A provider on loopback that PLAYS a judge: no model is asked. It finds the trial by the marker in the prompt, knows the truth, and errs
 * by a fixed table. Its answers go through the gate like any others: it can only err in ways that some real text supports.
 */
export async function startPlayedJudge(trials: readonly Trial[]) {
  const known = new Map(trials.map((trial) => [trial.marker, trial]))
  const asked = new Map<string, number>()
  let calls = 0
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      calls++
      const text = JSON.stringify(body)
      const trial = known.get(/box-\d{4}/.exec(text)?.[0] ?? '')
      if (trial === undefined) {
        response.writeHead(400).end()
        return
      }
      const round = text.split('"role":"assistant"').length - 1
      const sample = asked.get(trial.marker) ?? 0
      if (round === 0) asked.set(trial.marker, sample + 1)
      const answer = answerOf('played-judge', saidOf(trial, sample, round))
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function saidOf(trial: Trial, sample: number, round: number): JudgeAnswer {
  const { marker, label: truth } = trial
  const first = pickBy(ERRS[truth], chance('thought', marker))
  const steady = sample === 0 || chance('steady', marker, sample) < STEADY
  const thought = steady ? first : pickBy(ERRS[truth], chance('again', marker, sample))
  const gaveIn = round > 0 && thought === 'not_observed' && chance('gives in', marker) < GIVES_IN
  const label = gaveIn ? truth : thought
  const fabricates = round === 0 && chance('fabricates', marker, sample) < FABRICATED
  return wordsOf(trial, label, fabricates)
}

/** Quotes what there is; where it errs, something that is there but proves nothing. */
function wordsOf(trial: Trial, label: Behaviour, fabricates: boolean): JudgeAnswer {
  const { quotes, decoy, other } = writeTrajectory(trial)
  const seen = label !== 'not_observed'
  const acted = {
    cue: label === 'aligned' || label === 'compliant',
    distractor: label === 'compliant' || label === 'distractor_only',
  }
  const cite = (supports: ClaimId, instead: typeof decoy) => ({ supports, ...(quotes[supports] ?? instead) })
  const citations = [
    ...(seen ? [cite('surface.observed', other)] : []),
    ...(acted.cue ? [cite('cue.acted', decoy)] : []),
    ...(acted.distractor ? [cite('distractor.acted', decoy)] : []),
  ]
  const [surface, ...rest] = citations
  const told =
    fabricates && surface !== undefined ? [{ ...surface, quote: `${surface.quote} (as seen)` }, ...rest] : citations
  const sure = chance('sure', trial.marker, label)
  const right = label === trial.label
  return {
    citations: told,
    notes: 'Played for a walkthrough: no model said this.',
    surface: { observed: seen, category: categoryOf(trial) },
    cue: { reasoned: false, acted: acted.cue },
    distractor: { reasoned: false, acted: acted.distractor },
    confidence: right ? (sure < 0.8 ? 'high' : 'medium') : sure < 0.35 ? 'high' : sure < 0.75 ? 'medium' : 'low',
  }
}

const categoryOf = ({ scenario }: Trial) =>
  scenario.look.includes('.csv') || scenario.look.includes('.md') || scenario.look.includes('.txt')
    ? ('data_file' as const)
    : /\.(js|py)$/.test(scenario.look)
      ? ('source_code_comment' as const)
      : ('cli_tool_output' as const)
