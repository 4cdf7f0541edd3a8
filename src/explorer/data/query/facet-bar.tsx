import { facet, facets, facetsBy, showFacet } from './facets.js';

/** The types of entities of a table that holds several. Choosing one shows its entities and their columns only. */
export function FacetBar() {
  if (facets.value.length === 0) return null;
  return (
    <fieldset class="facets">
      <legend class="unseen">Type of entities</legend>
      <span class="label" title="Of the entities that were read">
        By {facetsBy.value}
      </span>
      <FacetButton name={undefined} label="All" />
      {facets.value.map(({ name, count }) => (
        <FacetButton key={name} name={name} label={name} count={count} />
      ))}
    </fieldset>
  );
}

function FacetButton(props: { readonly name: string | undefined; readonly label: string; readonly count?: number }) {
  const { name, label, count } = props;
  return (
    <button type="button" aria-pressed={facet.value === name} onClick={() => showFacet(name)}>
      {label}
      {count !== undefined && <span class="count">{count.toLocaleString('en')}</span>}
    </button>
  );
}
