import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AlignmentReport } from '../../src/schemas/report.ts'
import { type AuditData, startWithTwoJudges } from './audit-data.ts'
import { describeInBrowser, expectAccessible } from './browser.ts'

const PAIRED = 'judge=first&pair_by=variant&base=tab&head=defended'
const percent = (share: number) => `${(100 * share).toFixed(1)}%`

describeInBrowser('report', () => {
  let audit: AuditData
  let folder: string
  beforeEach(async () => {
    audit = await startWithTwoJudges()
    folder = mkdtempSync(join(tmpdir(), 'veridict-report-'))
  })
  afterEach(async () => {
    await audit.stop()
    rmSync(folder, { recursive: true })
  })
  const report = async (query: string) =>
    (await audit.app.get(`/v1/reports/alignment?group_by=agent&${query}`)).json<AlignmentReport>()

  test('several judges ask for one; then every plot is drawn, with its table', async () => {
    const page = await audit.open('/audit/report')
    await page.getByText('is needed, one of: first, second').waitFor()
    await page.getByLabel('Judge').fill('first')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#surfaces-title')
    await page.waitForFunction(() => document.querySelectorAll('.plot-box svg').length === 4)
    expect(await page.locator('.plot-section').count()).toBe(4)
    for (const section of await page.locator('.plot-section').all())
      expect(await section.locator('table').count()).toBeGreaterThan(0)
    await page.getByLabel('Pair by').selectOption('variant')
    await page.getByLabel('Base value').fill('tab')
    await page.getByLabel('Head value').fill('defended')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-plot=paired] svg')
    await expectAccessible(page)
    expect(audit.complaints.filter((one) => !one.includes('400'))).toEqual([])
  })

  test('the numbers are those of the service: bars, labels, intervals, denominators, failures', async () => {
    const { groups } = await report(PAIRED)
    const page = await audit.open(`/audit/report?${PAIRED}`)
    await page.waitForSelector('[data-plot=paired] svg')
    const shares = page.getByRole('region', { name: 'Behaviour by agent' })
    const text = await shares.innerText()
    for (const { key, shares: rates, counts } of groups) {
      const { aligned } = rates
      expect(text).toContain(`${key} (n=${counts.graded})`)
      const limits = aligned.ci95?.map(percent).join(' to ')
      expect(text.replace(/\s+/g, ' ')).toContain(`${percent(aligned.value ?? 0)} ${limits} ${aligned.k}/${aligned.n}`)
    }
    expect(text).toContain('none: no review')
    const bars = await page.locator('[data-plot=shares] g rect').count()
    const wanted = groups.flatMap((one) => Object.values(one.shares)).filter(({ value }) => (value ?? 0) > 0).length
    // Five more are the legend’s.
    expect(bars).toBe(wanted + 5)
    const widths = await page
      .locator('[data-plot=shares] g.mark-bar rect')
      .evaluateAll((all) => all.map((one) => Number(one.getAttribute('width'))))
    expect(Math.max(...widths) / Math.min(...widths)).toBeCloseTo(0.625 / 0.375, 1)
    expect(audit.complaints).toEqual([])
  })

  test('labels differ without colour, and a picture to take away has its colours in it', async () => {
    const page = await audit.open(`/audit/report?judge=first`, { colorScheme: 'dark', acceptDownloads: true })
    await page.waitForSelector('[data-plot=shares] svg')
    const patterns = await page
      .locator('[data-plot=shares] pattern')
      .evaluateAll((all) =>
        all.map((one) => [...one.querySelectorAll('path')].map((path) => path.getAttribute('d')).join()),
      )
    expect(new Set(patterns).size).toBe(5)
    const download = page.waitForEvent('download')
    await page
      .getByRole('region', { name: 'Behaviour by agent' })
      .getByRole('button', { name: 'Save this plot' })
      .click()
    const file = await download
    expect(file.suggestedFilename()).toBe('veridict-shares.svg')
    const path = join(folder, file.suggestedFilename())
    await file.saveAs(path)
    const picture = await audit.open(`/audit/report?judge=first`)
    await picture.goto(`file://${path}`)
    const root = await picture.evaluate(
      () => [document.documentElement.localName, document.documentElement.outerHTML] as const,
    )
    expect(root[0]).toBe('svg')
    expect(root[1]).not.toMatch(/var\(|currentColor|<script|<style|light-dark/)
    expect(root[1]).toContain('62.5%')
    const ink = await picture.evaluate(() => getComputedStyle(document.querySelector('text') ?? document.body).fill)
    expect(ink).toBe('rgb(27, 29, 32)')
  })

  test('the table comes as CSV', async () => {
    const page = await audit.open('/audit/report?judge=first', { acceptDownloads: true })
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Save as CSV' }).click()
    expect((await download).url()).toContain('format=csv')
  })

  test('reviews of a random sample give corrected shares beside the raw ones', async () => {
    const grades = (await audit.app.get('/v1/grades?judge=first&limit=200')).json<{
      items: { id: string; label: string }[]
    }>()
    for (const { id, label } of grades.items) {
      const body = { rater: 'Ada', label, blind: true, sampling: { design: 'random', probability: 1 } }
      expect((await audit.app.post(`/v1/grades/${id}/reviews`, body)).statusCode).toBe(201)
    }
    const { overall } = await report('judge=first')
    const page = await audit.open('/audit/report?judge=first')
    await page.waitForSelector('[data-plot=shares] svg')
    const text = (await page.getByRole('region', { name: 'Shares', exact: true }).innerText()).replace(/\s+/g, ' ')
    expect(overall?.corrected.estimator).not.toBeNull()
    expect(text).toContain(`${overall?.corrected.estimator}: `)
    expect(text).toContain(percent(overall?.corrected.shares.aligned.value ?? -1))
    expect(await page.getByRole('region', { name: 'Judge first against humans' }).innerText()).toContain(
      '16 reviewed trials',
    )
  })
})
