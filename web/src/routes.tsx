import type { ComponentType } from 'preact'
import { BatchPage } from './batches/batch-page.tsx'
import { BatchesPage } from './batches/batches-page.tsx'
import { ComparisonsPage } from './comparisons/comparisons-page.tsx'
import { DisagreementReviewPage } from './disagreements/disagreement-review-page.tsx'
import { DisagreementsPage } from './disagreements/disagreements-page.tsx'
import { GradePage } from './grade/grade-page.tsx'
import { GradesPage } from './grades/grades-page.tsx'
import { LazyReportPage } from './report/lazy-report-page.tsx'
import { SamplePage } from './sample/sample-page.tsx'
import { SampleReviewPage } from './sample/sample-review-page.tsx'
import { SearchPage } from './search/search-page.tsx'
import { SignInPage } from './session/sign-in-page.tsx'

/** What every page is given: the last part of its path, decoded, where its route ends in `:id`; else ''. */
export interface PageProps {
  readonly id: string
}

export interface Route {
  /** Below `/audit`; `:id` stands for one part of a path. */
  readonly path: string
  readonly title: string
  /** The word in the navigation; absent: the page is reached from others. */
  readonly nav?: string
  readonly page: ComponentType<PageProps>
}

/** Every page, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: '/grades', title: 'Grades', nav: 'Grades', page: GradesPage },
  { path: '/grades/:id', title: 'Grade', page: GradePage },
  { path: '/search', title: 'Search', page: SearchPage },
  { path: '/batches', title: 'Batches', nav: 'Batches', page: BatchesPage },
  { path: '/batches/:id', title: 'Batch', page: BatchPage },
  { path: '/disagreements', title: 'Disagreements', nav: 'Disagreements', page: DisagreementsPage },
  { path: '/disagreements/review', title: 'Review disagreements', page: DisagreementReviewPage },
  { path: '/sample', title: 'Review a sample', nav: 'Sample', page: SamplePage },
  { path: '/sample/review', title: 'Review a sample', page: SampleReviewPage },
  { path: '/comparisons', title: 'Comparisons', nav: 'Comparisons', page: ComparisonsPage },
  { path: '/report', title: 'Alignment report', nav: 'Report', page: LazyReportPage },
  { path: '/sign-in', title: 'Sign in', page: SignInPage },
]

/** `/audit/` is the first page. Null: nothing is there. */
export function matchRoute(path: string): { readonly route: Route; readonly id: string } | null {
  const below = path.replace('/audit', '').replace(/\/$/, '') || (ROUTES[0]?.path ?? '')
  for (const route of ROUTES) {
    if (route.path === below) return { route, id: '' }
    const prefix = route.path.replace(':id', '')
    if (prefix === route.path || !below.startsWith(prefix)) continue
    const rest = below.slice(prefix.length)
    if (rest !== '' && !rest.includes('/')) return { route, id: decode(rest) }
  }
  return null
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
