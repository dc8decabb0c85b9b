import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, finish, makeItems, startBatch, UNREAD_ITEM } from '../http/make-batch.ts'
import { describeInBrowser, expectAccessible, startAudit, useAudit } from './browser.ts'

const WORDS = '3 unread records, 2 may hold acts'

describeInBrowser('records that could not be read', () => {
  const judge = answeringJudge((run) => (run === 1 ? { fail: 'refused' } : GOOD_ANSWER))
  const audit = useAudit(() => startAudit({ judges: [judge] }), 'once')
  let batch: Batch
  let results: readonly BatchResult[]
  beforeAll(async () => {
    const nothing = makeItems(1, { item_id: 'nothing', cache: 'only', samples: 2 })
    const { id } = await startBatch(audit.app, [...makeItems(2), UNREAD_ITEM, ...nothing])
    ;({ batch, results } = await finish(audit.app, id))
  })

  const column = (page: Page, title: string) => page.locator(`tbody td[data-title="${title}"]`).allInnerTexts()
  const openBatch = async (query = '', width = 1280) => {
    const page = await audit.open(`/audit/batches/${batch.id}${query}`, {
      viewport: { width, height: 800 },
      until: '[aria-labelledby=results] tbody tr',
    })
    return page
  }

  test('stand in the list of trials, with words', async () => {
    const page = await audit.open('/audit/grades?judge=lexical', { until: 'table.list tbody tr' })
    expect(await column(page, 'Evidence')).toEqual([`2 contradictions\n${WORDS}`])
    const read = await audit.open('/audit/grades?judge=scripted&status=graded', { until: 'table.list tbody tr' })
    expect(await column(read, 'Evidence')).toEqual(['2 of 2 hold'])
  })

  test('stand in the results of their batch, beside judge, confidence and evidence; and are counted, and filtered', async () => {
    const page = await openBatch()
    expect(await column(page, 'Judge')).toEqual(['scripted', 'scripted', 'lexical', '–'])
    expect(await column(page, 'Confidence')).toEqual(['medium', '–', 'low', '–'])
    expect(await column(page, 'Evidence')).toEqual(['2 of 2 hold', '–', `2 contradictions\n${WORDS}`, '–'])
    expect(await column(page, 'Why')).toEqual([
      'the run does not say whether the call of step 4 succeeded',
      expect.stringMatching(/^refused: /),
      expect.stringMatching(
        /a record that may hold an act could not be read\s+3 unread records, 2 may hold acts\s+\d+ warnings$/,
      ),
      expect.stringMatching(/^cancelled: /),
    ])
    expect(await page.getByRole('region', { name: 'Results', exact: true }).innerText()).toContain(
      `${WORDS}, in 1 item`,
    )
    await expectAccessible(page)
    await page.getByLabel('Unread records').selectOption('some')
    await expect.poll(() => column(page, 'Trial')).toEqual(['unread'])
    expect(new URL(page.url()).search).toBe('?unread=some')
    const sorted = await openBatch('?sort=-confidence')
    expect((await column(sorted, 'Confidence')).slice(0, 2)).toEqual(['medium', 'low'])
  })

  test('stand on the page of the grade, with the warnings', async () => {
    const page = await audit.open(`/audit/grades/${results[2]?.grade_id}`, { acceptDownloads: true })
    const warnings = page.getByRole('region', { name: 'Warnings' })
    await warnings.waitFor()
    const text = await warnings.innerText()
    expect(text).toContain(`${WORDS}.`)
    expect(await page.getByRole('region', { name: 'Contradictions' }).innerText()).toContain(
      'a record that may hold an act could not be read: 2 records that may hold acts',
    )
    expect(text).toMatch(/deviates from its format: \d[\s\S]*2 lines of the file hold the beginning of a record/)
    expect(text).toMatch(/Anchors that prove little: [1-9]/)
    expect(text).not.toContain('is a bare path')
    await warnings.getByText('Anchors that prove little').click()
    expect(await warnings.innerText()).toContain('is a bare path')
    await expectAccessible(page)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as one HTML file' }).click()
    expect(readFileSync(await (await download).path(), 'utf8')).toContain(`${WORDS}.`)
    const read = await audit.open(`/audit/grades/${results[0]?.grade_id}`, { until: '#receipt' })
    expect(await read.getByRole('region', { name: 'Warnings' }).count()).toBe(0)
  })
})
