import { afterEach, expect, test } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER, type Script } from '../grading/harness.ts'
import { answeringJudge, finish, makeItems, startBatch } from '../http/make-batch.ts'
import { describeInBrowser, expectAccessible, startAudit, useAudit } from './browser.ts'

describeInBrowser('batches', () => {
  let gates: PromiseWithResolvers<Script>[]
  const audit = useAudit(() => {
    gates = Array.from({ length: 6 }, () => Promise.withResolvers<Script>())
    return startAudit({ judges: [answeringJudge((run) => gates[run]?.promise ?? GOOD_ANSWER)] })
  })
  afterEach(() => {
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
  })
  const openBatch = ({ id }: Batch) => audit.open(`/audit/batches/${id}`, { until: '.progress' })

  test('progress arrives by itself, until the end', async () => {
    const batch = await startBatch(audit.app, makeItems(6), '?name=six')
    const page = await openBatch(batch)
    await page.getByText('0 of 6 ended', { exact: true }).waitFor()
    gates[0]?.resolve(GOOD_ANSWER)
    gates[1]?.resolve({ fail: 'refused' })
    await page.getByText('2 of 6 ended', { exact: true }).waitFor()
    expect(await page.getByRole('status').first().innerText()).toBe('running')
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    await page.getByText('6 of 6 ended', { exact: true }).waitFor()
    await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'done')
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 6)
    expect(await page.getByRole('region', { name: 'Labels' }).innerText()).toMatch(/aligned\s+5[\s\S]*refused\s+1/)
    await page.getByLabel('Status').selectOption('failed')
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 1)
    expect(new URL(page.url()).search).toBe('?status=failed')
  })

  test('a result leads to its grade', async () => {
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    const batch = await startBatch(audit.app, makeItems(2))
    const { results } = await finish(audit.app, batch.id)
    const page = await openBatch(batch)
    await page.getByRole('link', { name: 'trial-1' }).click()
    await page.waitForSelector('.step')
    expect(new URL(page.url()).pathname).toBe(`/audit/grades/${results[1]?.grade_id}`)
    await page.getByText('2 of 2').waitFor()
    await page.reload()
    await page.getByText('2 of 2').waitFor()
    await page.getByRole('button', { name: 'Previous grade' }).click()
    await page.getByText('1 of 2').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/audit/grades/${results[0]?.grade_id}`)
    await page.getByRole('link', { name: 'The batch' }).click()
    await page.waitForSelector('table.list tbody tr:nth-child(2)')
    expect(new URL(page.url()).pathname).toBe(`/audit/batches/${batch.id}`)
  })

  test('a grade of several items says so, and so does the list of the grades of their batch', async () => {
    const [one, other] = makeItems(2, { judge: 'lexical' })
    const { id } = await startBatch(audit.app, [one, other, { ...one, item_id: 'again' }] as object[])
    const { results } = await finish(audit.app, id)
    const page = await audit.open(`/audit/grades?batch=${id}`)
    await page.getByText('2 grades answer 3 items of this batch').waitFor()
    const [first, second] = results.map(({ grade_id }) => `/audit/grades/${grade_id}?view=batch&batch=${id}`)
    const shared = await audit.open(first ?? '')
    await shared.getByText('This grade answers 2 items of its batch').waitFor()
    const alone = await audit.open(second ?? '', { until: '#receipt' })
    expect(await alone.getByText('items of its batch').count()).toBe(0)
  })

  test('a batch that is not there: a sentence, and the way to those that are', async () => {
    const page = await audit.open('/audit/batches/NOPE', { until: '[role=alert]' })
    expect(await page.getByRole('alert').innerText()).toBe('Cannot show the batch. There is no such batch: NOPE.')
    await page.getByRole('link', { name: 'All batches' }).click()
    await page.waitForURL('**/audit/batches')
    audit.forgive(404)
  })

  test('cancelling asks first', async () => {
    const batch = await startBatch(audit.app, makeItems(6))
    const page = await openBatch(batch)
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('button', { name: 'Go on' }).click()
    expect((await audit.app.read<Batch>(`/v1/batches/${batch.id}`)).status).toBe('running')
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('button', { name: 'Cancel what has not begun' }).click()
    await page.getByText('cancelling').first().waitFor()
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'cancelled')
  })

  test('a parked batch says why, and is resumed', async () => {
    for (const gate of gates) gate.resolve({ fail: 'quota_exhausted' })
    const batch = await startBatch(audit.app, makeItems(2))
    const page = await openBatch(batch)
    await page.getByText('Parked.').waitFor()
    expect(await page.locator('.trouble').innerText()).toMatch(/\. It waits for somebody to resume it\.$/)
    const asked = page.waitForRequest((request) => request.url().endsWith('/resume'))
    await page.getByRole('button', { name: 'Resume' }).click()
    expect((await (await asked).response())?.status()).toBe(202)
  })

  test('the list leads to them', async () => {
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    const batch = await startBatch(audit.app, makeItems(3), '?name=one%20of%20three')
    await finish(audit.app, batch.id)
    const page = await audit.open('/audit/batches', { until: 'table.list tbody tr' })
    await expectAccessible(page)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForSelector('table.list tbody tr:nth-child(3)')
    expect(await page.locator('h1').innerText()).toBe('Batch one of three')
    await expectAccessible(page)
  })
})
