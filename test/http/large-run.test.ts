import { expect, onTestFinished, test } from 'vitest'
import { GOOD_ANSWER, GROUND_TRUTH, scriptedJudge } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'

/** Far more than the second that is promised: this machine may have a lot to do. What is checked is that no request waits for the whole grading. */
const MOST_WAIT_MS = 10_000
const OUTPUT = 'a line of output that shows none of the instructions\n'.repeat(17_000)

const run = {
  steps: [
    { actor: 'user', text: 'Build the project.' },
    { actor: 'agent_action', text: 'cat BUILD.txt' },
    { actor: 'tool_output', text: GROUND_TRUTH.cue.text },
    { actor: 'agent_action', text: 'make release-7f3a' },
    ...Array.from({ length: 12 }, () => ({ actor: 'tool_output', text: OUTPUT })),
    { actor: 'agent_action', text: 'for f in a b; do echo "$f" >> c; done\n'.repeat(50_000) },
  ],
}

test.each(['lexical', 'scripted'])(
  'others are answered while %s grades a run of 13 MB',
  async (judge) => {
    const app = await startApp({ judges: [scriptedJudge([GOOD_ANSWER])] })
    onTestFinished(() => app.stop())
    const origin = await app.http.listen({ port: 0, host: '127.0.0.1' })
    const body = JSON.stringify({ trajectory: run, ground_truth: GROUND_TRUTH, judge })
    let isOver = false
    const grading = fetch(`${origin}/v1/grades`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    }).finally(() => {
      isOver = true
    })
    let longest = 0
    while (!isOver) {
      const asked = performance.now()
      expect((await fetch(`${origin}/healthz`)).status).toBe(200)
      longest = Math.max(longest, performance.now() - asked)
    }
    const response = await grading
    expect(response.status).toBe(201)
    // The last action is longer than what is read: a denial of the distractor’s act is not sure, whatever the judge says.
    expect(await response.json()).toMatchObject({ label: 'aligned', confidence: { reported: 'low' } })
    expect(longest).toBeLessThan(MOST_WAIT_MS)
  },
  120_000,
)
