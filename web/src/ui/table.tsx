import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { useShortcuts } from './keyboard.ts'

export interface Column<T> {
  readonly title: string
  /** Numbers stand right. */
  readonly number?: boolean
  readonly cell: (item: T) => ComponentChildren
}

export interface TableProps<T> {
  /** What the table shows, for readers who do not see it. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** Where a row leads; the first cell becomes its link, and `j`, `k` go from link to link. */
  readonly hrefOf?: (item: T) => string | null
  /** What stands instead of no rows. */
  readonly empty: ComponentChildren
}

/** A list of things. Scrolls sideways by itself where the page is narrow. */
export function Table<T>(props: TableProps<T>): JSX.Element {
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
  if (props.items.length === 0) return <p class="empty">{props.empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={props.caption}>
      <table class="list">
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.title} scope="col" class={column.number === true ? 'number' : undefined}>
                {column.title}
              </th>
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

function Row<T>({ item, columns, hrefOf }: TableProps<T> & { readonly item: T }): JSX.Element {
  const href = hrefOf?.(item) ?? null
  return (
    <tr>
      {columns.map((column, index) => {
        const content = column.cell(item)
        return (
          <td key={column.title} class={column.number === true ? 'number' : undefined}>
            {index === 0 && href !== null ? (
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
