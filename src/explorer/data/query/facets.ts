import { computed } from '@preact/signals';
import type { Entity } from '../../client/entity.js';
import { route, setParams } from '../../shell/route.js';
import { loadedPages, loadedRows, revision } from '../rows.js';

/** One type of entities in a table that holds several, as far as it is in memory. */
export interface Facet {
  readonly name: string;
  readonly count: number;
}

/** How the types of entities are told apart. */
interface Division {
  /** What tells them apart, for people. */
  readonly by: string;
  typeOf(entity: Entity): string | undefined;
}

/** The properties by which programs name the type of an entity, most usual first. Source: Table design guide, "Working with heterogeneous entity types". */
const typeProperties = ['EntityType', 'entityType', 'Type', 'type', 'Kind', 'kind', 'Discriminator'] as const;

/** The most types that are shown. Ours: a property with more values is not a type. */
const facetsMax = 12;

/** The share of the entities that must have a type. Ours. */
const shareMin = 0.9;

const loaded = computed<readonly Entity[]>(() => {
  void revision.value;
  return [...loadedRows()].map(([, entity]) => entity);
});

const divided = computed(() => {
  for (const division of [...typeProperties.map(byProperty), byPrefix]) {
    const counts = new Map<string, number>();
    let typed = 0;
    for (const entity of loaded.value) {
      const type = division.typeOf(entity);
      if (type === undefined) continue;
      typed++;
      counts.set(type, (counts.get(type) ?? 0) + 1);
      if (counts.size > facetsMax) break;
    }
    const isDivision = counts.size > 1 && counts.size <= facetsMax && typed >= loaded.value.length * shareMin;
    // A prefix that each entity has of its own is an id.
    if (isDivision && counts.size <= loaded.value.length / 2) return { division, counts };
  }
  return undefined;
});

/** The types of entities in memory; empty for a table whose entities are of one type. */
export const facets = computed<readonly Facet[]>(() =>
  [...(divided.value?.counts ?? [])].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count),
);

/** By what the types are told apart, for people. */
export const facetsBy = computed(() => divided.value?.division.by ?? '');

/** The type that is shown; undefined for all. It is in the address. */
export const facet = computed(() => {
  const name = route.value.params.get('type');
  return facets.value.some((one) => one.name === name) ? name : undefined;
});

/** Shows only the entities of a type; undefined for all. */
export function showFacet(name: string | undefined): void {
  setParams({ type: name });
}

/** The positions of the entities of the type that is shown; undefined for all entities. */
export const shownPositions = computed<readonly number[] | undefined>(() => {
  const [name, division] = [facet.value, divided.value?.division];
  void revision.value;
  if (name === undefined || !division) return undefined;
  return [...loadedRows()].filter(([, entity]) => division.typeOf(entity) === name).map(([index]) => index);
});

/** The entities in memory that are shown, in lists that stay the same while their entities do. */
export const shownPages = computed<readonly (readonly Entity[])[]>(() => {
  void revision.value;
  return facet.value === undefined ? loadedPages() : [shownRows.value];
});

/** The entities in memory that are shown. */
export const shownRows = computed<readonly Entity[]>(() => {
  const [name, division] = [facet.value, divided.value?.division];
  return name === undefined || !division ? loaded.value : loaded.value.filter((one) => division.typeOf(one) === name);
});

function byProperty(property: string): Division {
  return {
    by: property,
    typeOf(entity) {
      const value = entity.properties.get(property);
      return value?.type === 'Edm.String' ? value.text : undefined;
    },
  };
}

const byPrefix: Division = {
  by: 'RowKey prefix',
  typeOf: ({ rowKey }) => /^([A-Za-z]{2,24})[_:-]/.exec(rowKey)?.[1],
};
