-- Drives a real Neovim, headless, on a Pulumi program: trust, a hint, completion, a rename with its proof, one undo, a plugin that is killed.
-- $INIT is the user's configuration, $MODULE a project of which all is made that it declares.

local support = dofile(vim.env.SUPPORT)
local say, wait_for, test, screen = support.say, support.wait_for, support.test, support.screen

local function plugins()
  local servers = vim.fn.systemlist({ 'pgrep', '-P', tostring(vim.fn.getpid()), '-f', 'planlens lsp' })
  return #servers == 1 and vim.fn.systemlist({ 'pgrep', '-P', servers[1], '-f', 'pulumi-resource-lab' }) or {}
end

local asked
local function choose(prompt, titles)
  asked = { prompt = prompt, plugins = plugins() }
  for index, title in ipairs(titles) do
    if title:find('Trust this workspace', 1, true) then
      return index
    end
  end
end
vim.fn.inputlist = function(lines) return choose(lines[1], vim.list_slice(lines, 3)) end
vim.ui.select = function(items, _, done)
  done(items[choose('', vim.tbl_map(function(item) return item.title end, items))])
end

vim.o.lines, vim.o.columns, vim.o.hidden = 50, 160, true
dofile(vim.env.INIT)
vim.cmd('edit ' .. vim.env.MODULE .. '/Pulumi.yaml')
local buffer = vim.api.nvim_get_current_buf()

local about = support.about(buffer)
local client, text, line_of, lens_of = about.client, about.text, about.line_of, about.lens_of
local saved = text()

-- As the plan's document has it.
local function changes()
  local answer = client().request_sync('planlens/plan', vim.empty_dict(), 10000, buffer)
  local plan = answer and answer.result.plans[1]
  return plan and plan.state == 'fresh' and plan.changes or nil
end
local function no_changes()
  local found = changes()
  return found and #found == 0
end

local function undone()
  assert(vim.bo[buffer].modified, 'it was saved')
  vim.cmd('silent undo')
  assert(text() == saved, text())
  wait_for('no changes', no_changes)
end

test('trust is asked for before the plugin starts, and then what is saved has no changes', function()
  wait_for('question', function() return asked end)
  assert(#asked.plugins == 0, vim.inspect(asked))
  wait_for('no changes', no_changes)
  wait_for('lens', function() return lens_of('  a:') == 'no change' end)
  assert(#plugins() > 0)
end)

test('a changed property shows what it forces, and what that makes unknown', function()
  vim.api.nvim_win_set_cursor(0, { line_of('zone:'), 12 })
  vim.api.nvim_feedkeys('Czone-2' .. vim.keycode('<Esc>'), 'xt', false)
  wait_for('hint', function() return screen():find('⟳ forces replacement', 1, true) end)
  for _, line in ipairs(vim.split(screen(), '\n')) do
    if line:find('⟳', 1, true) then
      say('   screen:', vim.trim(line))
    end
  end
  wait_for('lens', function() return lens_of('  b:') and lens_of('  b:'):find('replace', 1, true) end)
  say('   lens:', lens_of('  b:'))
  undone()
end)

test('properties are completed in half-typed text', function()
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, { '      co' })
  local at = { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = last, character = 8 } }
  local labels = {}
  local answer = client().request_sync('textDocument/completion', at, 10000, buffer).result
  for _, item in ipairs(answer.items or answer) do
    labels[item.label] = item.detail or ''
  end
  assert(labels.copies, vim.inspect(labels))
  say('   completed: copies', labels.copies)
  undone()
end)

test('a rename comes with an alias, its plan has no changes, and one undo takes it back', function()
  vim.api.nvim_win_set_cursor(0, { line_of('  a:'), 2 })
  vim.lsp.buf.rename('c')
  wait_for('name', function() return line_of('  c:') end)
  assert(line_of('${c.handle}') and text():find('aliases', 1, true), text())
  wait_for('no changes', no_changes)
  wait_for('lens', function() return lens_of('  c:') == 'no change · moved from a' end)
  say('   lens:', lens_of('  c:'))
  undone()
end)

test('a plugin that is killed is started again for the next edit', function()
  local before = plugins()
  for _, plugin in ipairs(before) do
    vim.uv.kill(tonumber(plugin), 'sigkill')
  end
  wait_for('end', function() return #plugins() == 0 end)
  vim.api.nvim_win_set_cursor(0, { line_of('size:'), 12 })
  vim.api.nvim_feedkeys('Clarge' .. vim.keycode('<Esc>'), 'xt', false)
  wait_for('lens', function() return lens_of('  a:') == '~ update in place' end)
  undone()
end)

support.finish(function()
  say(text())
  say('changes:', vim.inspect(changes()))
  say('lens:', tostring(lens_of('  a:')))
  say('diagnostics:', vim.inspect(vim.tbl_map(function(each) return each.message end, vim.diagnostic.get(buffer))))
end)
