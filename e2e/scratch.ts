import { McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { systemClock } from '@toolyard/protocol';
import { programOf } from './peers/programs.ts';
const bin=(n:string,p:string)=>programOf(n);
const host = new McpHost({ servers:[
 {id:'ev',transport:{type:'stdio',command:process.execPath,args:[bin('@modelcontextprotocol/server-everything','dist/index.js')]}},
 {id:'fs',transport:{type:'stdio',command:process.execPath,args:[bin('@modelcontextprotocol/server-filesystem','dist/index.js'),'/tmp/peers-klavis']}},
 {id:'mem',transport:{type:'stdio',command:process.execPath,args:[bin('@modelcontextprotocol/server-memory','dist/index.js')],env:{MEMORY_FILE_PATH:'/tmp/peers-klavis/m.json'}}},
 {id:'seq',transport:{type:'stdio',command:process.execPath,args:[bin('@modelcontextprotocol/server-sequential-thinking','dist/index.js')]}},
 {id:'van',transport:{type:'stdio',command:process.execPath,args:[bin('@modelcontextprotocol/server-basic-vanillajs','dist/index.js'),'--stdio']}},
 {id:'mon',transport:{type:'stdio',command:process.execPath,args:[bin('@modelcontextprotocol/server-system-monitor','dist/index.js'),'--stdio']}},
], createTransport:createNodeTransports({fetch}), clock:systemClock, clientInfo:{name:'x',version:'1'}, handlers:{form:async()=>({action:'decline'}) as never,url:async()=>'accept' as never, sampling: async()=>({role:'assistant',model:'m',content:{type:'text',text:'hi'}}) as never, roots:()=>[{uri:'file:///tmp/peers-klavis',name:'p'}]} });
await host.connectAll();
await new Promise(s=>setTimeout(s,1500));

const call=async(n:string,a:object={},o:object={})=>{const r=await host.callTool({serverId:'ev',name:n},a as never,o);console.log(n,JSON.stringify(r).slice(0,700));};
await call('get-env');await call('get-annotated-message',{messageType:'success',includeImage:true});
await call('get-resource-links',{count:3});await call('get-resource-reference',{resourceType:'Blob',resourceId:2});await call('get-structured-content',{location:'Chicago'});
await call('get-tiny-image');await call('gzip-file-as-resource',{name:'a.gz',data:'data:text/plain;base64,aGVsbG8=',outputType:'resource'});await call('gzip-file-as-resource',{name:'b.gz',data:'data:text/plain;base64,aGVsbG8=',outputType:'resourceLink'});
await call('toggle-simulated-logging');await call('toggle-subscriber-updates');await call('toggle-simulated-logging');await call('toggle-subscriber-updates');
await call('get-roots-list');await call('trigger-elicitation-request');await call('trigger-url-elicitation',{url:'https://example.com/x',elicitationId:'e1'});await call('trigger-sampling-request',{prompt:'p'});await call('simulate-research-query',{topic:'t'});
console.log(JSON.stringify(host.tools().find(t=>t.name==='trigger-url-elicitation')?.inputSchema), JSON.stringify(host.tools().find(t=>t.name==='gzip-file-as-resource')?.inputSchema),JSON.stringify(host.tools().find(t=>t.name==='simulate-research-query')));
console.log(JSON.stringify(host.resources.resources('ev')),JSON.stringify(host.resources.templates('ev')));
console.log(JSON.stringify(await host.getAllPrompts()));
for(const r of host.resources.resources('ev').slice(0,1))console.log(JSON.stringify(await host.resources.read('ev',r.uri)).slice(0,500));
console.log(JSON.stringify(await host.resources.read('ev','demo://resource/dynamic/blob/3')).slice(0,500));
console.log(JSON.stringify(await host.getPrompt('ev','simple-prompt')));console.log(JSON.stringify(await host.getPrompt('ev','args-prompt',{city:'Rome'})));
console.log(JSON.stringify(await host.getPrompt('ev','completable-prompt',{department:'Sales',name:'David'})));console.log(JSON.stringify(await host.getPrompt('ev','resource-prompt',{resourceType:'Text',resourceId:'1'})));
console.log(JSON.stringify(await host.complete('ev',{prompt:'completable-prompt'},{name:'name',value:''},{department:'Sales'})),JSON.stringify(await host.complete('ev',{prompt:'completable-prompt'},{name:'department',value:'S'})),JSON.stringify(await host.complete('ev',{uriTemplate:'demo://resource/dynamic/text/{resourceId}'},{name:'resourceId',value:'1'})));
console.log(host.health()[0]?.log.map(l=>l.level+' '+l.text).join('\n'));
await call('trigger-url-elicitation',{url:'https://example.com/x',errorPath:true});
for (const [n,a] of [['list_allowed_directories',{}],['write_file',{path:'/tmp/peers-klavis/n.txt',content:'x'}],['read_text_file',{path:'/etc/passwd'}]] as const) console.log(JSON.stringify(await host.callTool({serverId:'fs',name:n},a)));
console.log(JSON.stringify(await host.callTool({serverId:'mem',name:'create_entities'},{entities:[{name:'a',entityType:'b',observations:['c']}]})),JSON.stringify(host.resources.resources('mem')));
console.log(JSON.stringify(await host.callTool({serverId:'seq',name:'sequentialthinking'},{thought:'a',nextThoughtNeeded:true,thoughtNumber:1,totalThoughts:2})));
console.log(JSON.stringify(await host.callTool({serverId:'van',name:'get-time'},{})),JSON.stringify(await host.callTool({serverId:'mon',name:'get-system-info'},{})).slice(0,300),JSON.stringify(host.resources.resources('van')),JSON.stringify(host.resources.resources('mon')), JSON.stringify(await host.resources.read('van',host.resources.resources('van')[0]?.uri??'')).slice(0,300));
await host.close();
