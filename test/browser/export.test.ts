import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { tempFolder } from '../temp-folder.ts'
import { startWithTwoJudges } from './audit-data.ts'
import { describeInBrowser, expectAccessible, useAudit } from './browser.ts'

describeInBrowser('export', () => {
  const audit = useAudit(startWithTwoJudges)
  let folder: string
  beforeEach(async () => {
    folder = tempFolder()
  })

  async function save(page: Page, within: Pick<Page, 'getByRole'> = page): Promise<string> {
    const download = page.waitForEvent('download')
    await within.getByRole('button', { name: 'Save as one HTML file' }).click()
    const path = join(folder, (await download).suggestedFilename())
    await (await download).saveAs(path)
    return path
  }
  /** From the disk, in a window that knows nothing of the service; scripts would be allowed to run. */
  async function openFile(path: string): Promise<Page> {
    const page = await audit.open('/healthz')
    await page.goto(`file://${path}`)
    return page
  }
  const tableTexts = (page: Page) =>
    page
      .locator('article table')
      .evaluateAll((all) =>
        all.map((table) =>
          [...table.querySelectorAll('th, td')].map((cell) => cell.textContent?.replace(/\s+/g, ' ').trim()),
        ),
      )
  const expectInert = (html: string) => {
    expect(html).not.toMatch(/<script|<img|<iframe|<link|<form|<input|<button|javascript:|\son\w+\s*=\s*["'][^&]/i)
    expect(html.match(/(?:href|src)="(?!#)/g)).toBeNull()
    expect(html.match(/<style>/g)).toHaveLength(1)
  }

  test('a report in one file has the numbers and plots of the page, and runs nothing', async () => {
    const page = await audit.open('/audit/report?judge=first&group_by=task', {
      acceptDownloads: true,
      until: '[data-plot=alignment] svg',
    })
    await page.waitForFunction(() => document.querySelectorAll('.plot-box svg').length === 2)
    const path = await save(page)
    expectInert(readFileSync(path, 'utf8'))
    const file = await openFile(path)
    expect(await tableTexts(file)).toEqual(await tableTexts(page))
    expect((await tableTexts(file)).flat().join()).toContain('⟨U+202E⟩gnp.exe')
    expect(await file.locator('svg').count()).toBe(2)
    const [bar] = await file.locator('g.mark-bar rect').all()
    expect((await bar?.boundingBox())?.width).toBeGreaterThan(20)
    expect(
      await file.evaluate(() => [document.images.length, document.scripts.length, 'harmed' in globalThis]),
    ).toEqual([0, 0, false])
    await expectAccessible(file)
  })

  test('one grade in one file has its evidence marked at its place', async () => {
    const page = await audit.open('/audit/disagreements/review?kind=signals&task=fix-git', {
      acceptDownloads: true,
      until: '.step',
    })
    await page.keyboard.press('u')
    await page.locator('.judge').getByRole('link', { name: 'first' }).click()
    await page.waitForSelector('#receipt')
    const grade = await audit.app.read<Grade>(`/v1/grades/${page.url().split('/').at(-1)}`)
    expect(grade.label).toBe('compliant')
    const path = await save(page, page.locator('main'))
    await page.getByText(`Saved: ${grade.id}.html`).waitFor()
    expectInert(readFileSync(path, 'utf8'))
    const file = await openFile(path)
    const marked = await file.locator('.step mark').allInnerTexts()
    for (const { quote } of grade.citations) expect(marked).toContain(quote)
    for (const text of ['Ground truth', 'Receipt', 'Attempts', grade.receipt.key])
      expect(await file.locator('main').innerText()).toContain(text)
    await file.getByRole('link', { name: 'Evidence 1, step 3' }).click()
    expect(new URL(file.url()).hash).toBe('#citation-1')
    expect(await file.evaluate(() => document.querySelector(':target')?.localName)).toBe('a')
    await expectAccessible(file)
  })
})
