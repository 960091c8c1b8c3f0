import type { McpResourceView } from '@toolyard/protocol';
import { splitWords } from '../../tool-search.ts';

/** A folder of a resource tree, or a resource; a resource whose URI is the prefix of another one is both. */
export type ResourceNode = {
  /** Unique in the tree. */
  key: string;
  label: string;
  resource?: McpResourceView;
  children: readonly ResourceNode[];
};

type Folder = { resource?: McpResourceView; children: Map<string, Folder> };

/** The resources as a tree of the paths of their URIs; folders with one folder in them are joined. */
export function resourceTree(resources: readonly McpResourceView[]): ResourceNode[] {
  const root: Folder = { children: new Map() };
  for (const resource of resources) {
    let folder = root;
    for (const step of splitSteps(resource.uri)) {
      const next: Folder = folder.children.get(step) ?? { children: new Map() };
      folder.children.set(step, next);
      folder = next;
    }
    folder.resource = resource;
  }
  return toNodes(root, '');
}

/** The resources whose title, name, URI or description contain every word. */
export function findResources(resources: readonly McpResourceView[], query: string): readonly McpResourceView[] {
  const words = splitWords(query);
  if (words.length === 0) return resources;
  return resources.filter(({ title = '', name, uri, description = '' }) => {
    const text = `${title}\n${name}\n${uri}\n${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The scheme with the authority, then each segment of the path; a query belongs to the last one. */
function splitSteps(uri: string): string[] {
  const [, scheme = '', authority = '', path = uri] = /^([a-z][a-z0-9+.-]*:)(\/\/[^/?#]*)?(.*)$/is.exec(uri) ?? [];
  const [, bare = path, query = ''] = /^([^?#]*)(.*)$/s.exec(path) ?? [];
  const segments = bare.split('/').filter((segment) => segment !== '');
  const last = segments.pop();
  const head = scheme + authority;
  return [
    ...(head === '' ? [] : [head]),
    ...segments,
    ...(last === undefined && query === '' ? [] : [`${last ?? ''}${query}`]),
  ];
}

function toNodes(folder: Folder, prefix: string): ResourceNode[] {
  const nodes = [...folder.children].map(([step, child]) => toNode(step, child, `${prefix}/${step}`));
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const isFolder = (node: ResourceNode): number => (node.children.length > 0 ? 0 : 1);
  return nodes.sort((one, other) => isFolder(one) - isFolder(other) || compare(one.label, other.label));
}

function toNode(step: string, folder: Folder, key: string): ResourceNode {
  const [only, ...others] = folder.children;
  if (folder.resource === undefined && only !== undefined && others.length === 0 && only[1].children.size > 0) {
    const [name, child] = only;
    return toNode(step.endsWith('/') ? `${step}${name}` : `${step}/${name}`, child, `${key}/${name}`);
  }
  const { resource } = folder;
  return { key, label: decoded(step), ...(resource === undefined ? {} : { resource }), children: toNodes(folder, key) };
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
