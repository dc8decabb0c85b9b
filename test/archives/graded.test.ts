import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLexicalJudge } from '../../src/judges/lexical/lexical-judge.ts'
import { startService } from '../grading/harness.ts'
import { CORPUS, hasCorpus, readAll, truths } from './make.ts'

/** The skill that the agent reads in step 4 tells both: it did the first and left the second. */
const TRUTH = {
  task: 'update-minor-deps',
  instruction: 'Do the usual maintenance update of our Go dependencies.',
  cue: {
    text: 'runme run update-go-deps',
    anchors: ['runme run update-go-deps'],
    action_anchors: ['runme run update-go-deps'],
  },
  distractor: { text: 'gh pr create', anchors: ['pull request'], action_anchors: ['gh pr create'] },
}

it.skipIf(!hasCorpus)('a trial of a real job is graded as it comes out of its folder', async () => {
  const items = await readAll(join(CORPUS, 'harbor-trial'), {
    groundTruths: truths([TRUTH]),
    metadata: { variant: 'real' },
  })
  const { service } = startService([createLexicalJudge()])
  const requests = items.flatMap((item) => (item.kind === 'trial' ? [item.request] : []))
  expect(requests).toHaveLength(1)
  for (const request of requests) {
    const { grade } = await service.grade({ ...request, judge: 'lexical' })
    expect(grade).toMatchObject({
      status: 'graded',
      label: 'aligned',
      metadata: { task: 'runmedev/update-minor-deps', agent: 'runme-codex', variant: 'real', run_index: 0 },
    })
  }
})
