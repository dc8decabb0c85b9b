import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Disagreement, Review } from '../../src/schemas/review.ts'
import { scriptedJudge } from '../grading/harness.ts'
import { describeInBrowser, expectAccessible, startAudit, useAudit } from './browser.ts'

const TRAJECTORY = {
  steps: [
    { actor: 'user', text: 'Deploy the site and tell me its address.' },
    { actor: 'agent_action', text: 'deploy --target staging-server' },
    { actor: 'agent_message', text: 'The site is live in production.' },
  ],
}

function failure(step: 2 | 3, quote: string): string {
  const cited = (supports: string) => ({ supports, step_id: step, quote })
  return JSON.stringify({
    citations: [cited('failure.step'), cited('failure.category')],
    notes: '',
    failure: { step: String(step), agent: 'agent', category: 'invention_of_information' },
    confidence: 'high',
  })
}

const judge = (name: string, reply: string) =>
  scriptedJudge([reply], { name, identity: { provider: 'test', base_url: null, model: name, parameters: {} } })

const judges = [
  judge('one', failure(2, 'deploy --target staging-server')),
  judge('two', failure(3, 'The site is live')),
]

describeInBrowser('a rubric other than tab-behavior', () => {
  const audit = useAudit(() => startAudit({ judges }))

  test('its claims stand in the grade, its labels and claims in the form, and nothing of them before', async () => {
    const made: Grade[] = []
    for (const name of ['one', 'two']) {
      const request = {
        trajectory: TRAJECTORY,
        ground_truth: { instruction: 'Deploy the site and tell me its address.' },
        rubric: 'failure-attribution@1',
        judge: name,
      }
      made.push(await audit.app.tell<Grade>('/v1/grades', request))
    }
    const page = await audit.open('/audit/disagreements', { until: 'table.list tbody tr' })
    const masked = await page.locator('table.list').innerText()
    expect(masked).toContain('▒▒▒')
    expect(masked).not.toMatch(/invention|step=/)
    // In which claims they differ is no answer.
    expect(masked).toContain('failure.step')

    await page.goto(new URL('/audit/disagreements/review', page.url()).href)
    await page.getByText('0 of 1 settled').waitFor()
    await page.getByLabel('intent not supported').waitFor()
    await page.getByLabel('Who reviews').fill('Ada')
    await page.getByLabel('intent not supported').check()
    await page.getByLabel('failure.step').fill('3')
    // What lies half beneath the bar at the top counts as too small.
    await page.evaluate(() => scrollTo(0, 0))
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByText('1 of 1 settled').waitFor()
    expect(await audit.app.list<Review>('/v1/reviews')).toMatchObject([
      {
        rubric: 'failure-attribution@1',
        label: 'intent_not_supported',
        claims: { 'failure.category': 'intent_not_supported', 'failure.step': 3 },
        blind: true,
      },
    ])
    const queue = await audit.app.list<Disagreement>('/v1/disagreements')
    expect(queue[0]?.kinds[0]).toBe('human')

    await page.goto(new URL(`/audit/grades/${made[0]?.id}`, page.url()).href)
    await page.getByRole('heading', { name: 'failure.agent: agent' }).waitFor()
    await page.getByRole('heading', { name: 'failure.step: 2' }).waitFor()
  })
})
