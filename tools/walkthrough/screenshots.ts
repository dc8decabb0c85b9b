import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Batches } from './grading.ts'
import { say } from './printing.ts'
import type { Service } from './service.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const SIZE = { width: 1280, height: 800 }

interface Shot {
  readonly name: string
  readonly path: string
  /** What has to be there before the picture is taken. */
  prepare(page: Page): Promise<unknown>
}

/** Pictures of the pages with the data of the story. Without Chromium or playwright-core there are none, and it says so. */
export async function takeScreenshots(
  service: Service,
  batches: Batches,
  grades: readonly Grade[],
  folder: string,
): Promise<void> {
  const browser = await openBrowser()
  if (browser === null) return
  mkdirSync(folder, { recursive: true })
  try {
    for (const shot of shotsOf(batches, grades)) await take(browser, service.origin, shot, folder)
  } finally {
    await browser.close()
  }
}

async function openBrowser(): Promise<Browser | null> {
  if (!existsSync(CHROMIUM)) {
    say(`skipped: there is no Chromium at ${CHROMIUM}; set CHROMIUM to its path`)
    return null
  }
  try {
    const { chromium } = await import('playwright-core')
    return await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  } catch (error) {
    say(`skipped: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

async function take(browser: Browser, origin: string, { name, path, prepare }: Shot, folder: string): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto(origin + path)
  await prepare(page)
  await page.waitForTimeout(300)
  const file = join(folder, `${name}.png`)
  await page.screenshot({ path: file })
  await page.close()
  say(`${file}: ${Math.ceil(statSync(file).size / 1024)} KB`)
}

const waitFor = (selector: string) => (page: Page) => page.waitForSelector(selector)

/** Follows the second citation to its place in the trajectory. */
async function followCitation(page: Page): Promise<void> {
  await page.waitForSelector('.steps')
  await page.locator('a[href$="#citation-2"]').first().click()
  await page.waitForSelector('#citation-2')
}

/** Gives a review by keyboard, as a person would. */
async function submitReview(page: Page): Promise<void> {
  await page.waitForSelector('.step')
  await page.getByLabel('Who reviews').fill('Grace')
  await page.getByLabel('Who reviews').blur()
  await page.keyboard.press('2')
  await page.keyboard.press('s')
  await page.waitForSelector('.judge')
  await page.locator('.judges').evaluate((one) => one.scrollIntoView({ block: 'start' }))
  await page.mouse.wheel(0, -110)
}

/** A plot of the report, as near to the top of the window as it goes. */
const showPlot = (plot: string) => async (page: Page) => {
  await page.waitForSelector(`[data-plot=${plot}] svg`)
  const section = page.locator(`.plot-section:has([data-plot=${plot}])`).first()
  await section.evaluate((one) => one.scrollIntoView({ block: 'start' }))
  await page.mouse.wheel(0, -70)
}

function shotsOf({ lexical, played }: Batches, grades: readonly Grade[]): Shot[] {
  const told = grades.find(({ label, contradictions }) => label === 'compliant' && contradictions.length === 0)
  const grade = `/audit/grades/${told?.id ?? ''}`
  const report = '/audit/report?judge=played&group_by=agent'
  const paired = `${report}&pair_by=variant&base=tab&head=tab-defended`
  const review = '/audit/disagreements/review?settled=false&judge=played'
  return [
    { name: 'grades', path: '/audit/grades?judge=played', prepare: waitFor('tbody tr') },
    { name: 'grade', path: grade, prepare: followCitation },
    { name: 'disagreements', path: '/audit/disagreements?settled=false', prepare: waitFor('tbody tr') },
    { name: 'review-blind', path: review, prepare: waitFor('.step') },
    { name: 'review-done', path: review, prepare: submitReview },
    { name: 'comparison', path: `/audit/comparisons?base=${lexical}&head=${played}`, prepare: waitFor('table') },
    { name: 'report-shares', path: report, prepare: showPlot('shares') },
    { name: 'report-scatter', path: report, prepare: showPlot('alignment') },
    { name: 'report-paired', path: paired, prepare: showPlot('paired') },
  ]
}
