import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { setQuery, usePlace } from '../location.ts'
import { useShortcuts } from './keyboard.ts'
import { Empty } from './parts.tsx'
import { nextSorting, readSorting, type SortValue, sortRows } from './sort.ts'

export interface Column<T> {
  readonly title: string
  /** Numbers stand right. */
  readonly number?: boolean
  readonly cell: (item: T) => ComponentChildren
  /** The column’s word in `?sort=`, and what it is sorted by. Absent: it cannot be. */
  readonly sort?: { readonly name: string; readonly of: (item: T) => SortValue }
}

export interface TableProps<T> {
  /** What the table shows, for readers who do not see it. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** Where a row leads; its head becomes its link, and `j`, `k` go from link to link. */
  readonly hrefOf?: (item: T) => string | null
  /** The title of the column that names a row; absent: the first. */
  readonly headOf?: (item: T) => string
  /** What stands instead of no rows. */
  readonly empty: string | JSX.Element
}

/** As the address wants them: `?sort=task`, `?sort=-task`. */
export function sortItems<T>(items: readonly T[], columns: readonly Column<T>[], query: URLSearchParams): readonly T[] {
  const sorting = readSorting(query.get('sort'))
  const of = columns.find(({ sort }) => sort !== undefined && sort.name === sorting?.by)?.sort?.of
  return sorting === null || of === undefined ? items : sortRows(items, of, sorting.down)
}

/** A list of things. Scrolls sideways by itself; on a narrow page each row becomes a card. */
export function Table<T>(props: TableProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const move = (by: number) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a.row-link') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  useShortcuts(
    props.hrefOf === undefined
      ? []
      : [
          { key: 'j', what: 'next row (Enter opens it)', run: () => move(1) },
          { key: 'k', what: 'row before', run: () => move(-1) },
        ],
  )
  if (props.items.length === 0) return typeof props.empty === 'string' ? <Empty>{props.empty}</Empty> : props.empty
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={props.caption}>
      <table class="list">
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <Heading key={column.title} column={column} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {props.items.map((item) => (
            <Row key={props.keyOf(item)} item={item} {...props} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Heading<T>({ column }: { readonly column: Column<T> }) {
  const { title, number, sort } = column
  const sorting = readSorting(usePlace().query.get('sort'))
  const now = sort !== undefined && sort.name === sorting?.by ? sorting : null
  return (
    <th
      scope="col"
      class={number === true ? 'number' : undefined}
      aria-sort={now === null ? undefined : now.down ? 'descending' : 'ascending'}
    >
      {sort === undefined ? (
        title
      ) : (
        <button
          type="button"
          class="sort"
          onClick={() => setQuery({ sort: nextSorting(now, sort.name), page: null }, { replace: true })}
        >
          {title}
          <span aria-hidden="true">{now === null ? ' ↕' : now.down ? ' ↓' : ' ↑'}</span>
        </button>
      )}
    </th>
  )
}

function Row<T>({ item, columns, hrefOf, headOf }: TableProps<T> & { readonly item: T }) {
  const href = hrefOf?.(item) ?? null
  const head = headOf?.(item) ?? columns[0]?.title
  return (
    <tr>
      {columns.map((column) => {
        const content = column.cell(item)
        return (
          <td
            key={column.title}
            class={column.number === true ? 'number' : undefined}
            data-title={column.title}
            data-head={column.title === head ? '' : undefined}
          >
            {column.title === head && href !== null ? (
              <a class="row-link" href={href}>
                {content}
              </a>
            ) : (
              content
            )}
          </td>
        )
      })}
    </tr>
  )
}
