import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { finish, startBatch } from '../http/make-batch.ts'
import { type AuditData, makeTrials, startWithTwoJudges } from './audit-data.ts'
import { describeInBrowser, findOverflow } from './browser.ts'

/** What pages say must be true of what they show, and to be seen. */
describeInBrowser('what is shown', () => {
  let audit: AuditData
  beforeAll(async () => {
    audit = await startWithTwoJudges()
  }, 60_000)
  afterAll(() => audit.stop())

  const open = async (path: string, width = 1400) => {
    const page = await audit.open(`/audit/${path}`, { viewport: { width, height: 800 } })
    await page.waitForFunction(
      () => document.querySelector('h1') !== null && document.querySelector('.waiting') === null,
    )
    return page
  }
  const firstGrade = async () => (await audit.app.list<Grade>('/v1/grades?limit=1'))[0] as Grade

  /** Lines of text that a box with a scroll bar cuts off at its right. */
  const findCut = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll('.scroll:has(td[data-title])')].flatMap((box) => {
        const { right } = box.getBoundingClientRect()
        return [...box.querySelectorAll('td *')]
          .filter((one) => one.getBoundingClientRect().right > right + 1)
          .map((one) => one.textContent)
      }),
    )

  test('no card cuts off its text at 400 pixels', async () => {
    const [base, head] = audit.batches
    for (const path of [
      `comparisons?base=${base.id}&head=${head.id}`,
      'report?judge=first&group_by=agent&pair_by=variant&base=tab&head=defended',
      `grades/${(await firstGrade()).id}`,
      `batches/${base.id}`,
      'batches',
      'disagreements',
    ]) {
      const page = await open(path, 400)
      expect(await findCut(page), path).toEqual([])
      expect(await findOverflow(page), path).toEqual([])
      await page.close()
    }
  })

  test('a grade of several items says so, and so does the list of the grades of their batch', async () => {
    const [one, other] = makeTrials(2)
    const items = [one, other, { ...one, item_id: 'again' }].map((item) => ({ ...item, judge: 'lexical' }))
    const { id } = (await finish(audit.app, (await startBatch(audit.app, items, '?cache=refresh')).id)).batch
    const page = await open(`grades?batch=${id}`)
    await page.getByText('2 grades answer 3 items of this batch').waitFor()
    const lines = (await audit.app.get(`/v1/batches/${id}/results`)).body.trimEnd().split('\n')
    const [first, second] = lines.map((line) => (JSON.parse(line) as { grade_id: string }).grade_id)
    const shared = await open(`grades/${first}?view=batch&batch=${id}`)
    await shared.getByText('This grade answers 2 items of its batch').waitFor()
    const alone = await open(`grades/${second}?view=batch&batch=${id}`)
    await alone.waitForSelector('#receipt')
    expect(await alone.getByText('items of its batch').count()).toBe(0)
  })

  test('a batch that is not there: a sentence, and the way to those that are', async () => {
    const page = await audit.open('/audit/batches/NOPE')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toBe('Cannot show the batch. There is no such batch: NOPE.')
    await page.getByRole('link', { name: 'All batches' }).click()
    await page.waitForSelector('table.list tbody tr')
    audit.complaints.splice(0)
  })
})
