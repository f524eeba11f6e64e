-- Drives a real Neovim, headless: a changed argument that is not saved shows what it forces.
-- $INIT is the user's configuration, $MODULE a root module whose plan has no changes.

local module = vim.env.MODULE
local support = dofile(vim.env.SUPPORT)
local say, wait_for, test, screen = support.say, support.wait_for, support.test, support.screen

vim.o.lines, vim.o.columns, vim.o.hidden = 50, 160, true
dofile(vim.env.INIT)
vim.cmd('edit ' .. module .. '/main.tf')
local buffer = vim.api.nvim_get_current_buf()

-- The line that is edited, counted from 0, and the place of the value in it.
local row, column
for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
  local place = line:find('"yes"', 1, true)
  if place then
    row, column = index - 1, place
  end
end

local function client()
  return vim.lsp.get_clients({ bufnr = buffer, name = 'planlens' })[1]
end

local function lenses()
  vim.lsp.codelens.refresh({ bufnr = buffer })
  local titles = {}
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    titles[lens.range.start.line] = lens.command and lens.command.title
  end
  return titles
end

local function hints()
  local labels = {}
  for _, each in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local hint = each.inlay_hint
    if hint.position.line == row then
      local label = hint.label
      if type(label) == 'table' then
        label = table.concat(vim.tbl_map(function(part) return part.value end, label))
      end
      table.insert(labels, label)
    end
  end
  return table.concat(labels, ' ')
end

local function replacements(line)
  return vim.tbl_filter(function(each) return each.code == 'forces-replacement' end, vim.diagnostic.get(buffer, { lnum = line }))
end

local function drawn(line)
  vim.cmd('redraw')
  local cells = {}
  for cell = 1, vim.o.columns do
    cells[cell] = vim.fn.screenstring(vim.fn.screenpos(0, (line or row) + 1, 1).row, cell)
  end
  return table.concat(cells)
end

local function hover(line, character)
  local position = { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = character } }
  local answer = client().request_sync('textDocument/hover', position, 10000, buffer)
  return answer and answer.result and answer.result.contents and answer.result.contents.value or ''
end

local function line_of(text)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if line:find(text, 1, true) then
      return index - 1
    end
  end
end

test('the user\'s lines attach the server', function()
  wait_for('client', function() return client() and client().initialized end)
end)

test('the plan of what is saved has no changes', function()
  -- The lens is above the block, the argument two lines below its head.
  wait_for('lens', function() return lenses()[row - 2] == 'no change' end)
  assert(#replacements() == 0, vim.inspect(replacements()))
  assert(not hints():find('forces replacement'), hints())
end)

test('a typed change that is not saved shows what it forces', function()
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  vim.api.nvim_feedkeys('ciwno' .. vim.keycode('<Esc>'), 'xt', false)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  assert(line:find('"no"', 1, true), line)
  wait_for('hint', function() return hints():find('⟳ forces replacement', 1, true) end)
  wait_for('diagnostic', function() return #replacements(row) == 1 end)
  wait_for('lens', function() return lenses()[row - 2] == '-/+ replace' end)
  local diagnostic = replacements(row)[1]
  assert(diagnostic.severity == vim.diagnostic.severity.WARN, vim.inspect(diagnostic))
  assert(diagnostic.message:find('random_string.word must be replaced', 1, true), diagnostic.message)
  say('   hint:', hints())
  say('   diagnostic:', diagnostic.message)
end)

test('the hint is on the screen', function()
  wait_for('screen', function() return drawn():find('⟳ forces replacement', 1, true) end)
  say('   screen:', vim.trim(drawn()))
end)

test('the screen shows the replacement once', function()
  wait_for('diagnostic', function() return #replacements(row) == 1 end)
  assert(not drawn():find('must be replaced', 1, true), drawn())
end)

test('a code lens is on the screen', function()
  wait_for('screen', function() return drawn(row - 2):find('-/+ replace', 1, true) end)
end)

test('the changed argument tells both values on hover', function()
  local text = hover(row, 4)
  assert(text:find('"yes"', 1, true) and text:find('"no"', 1, true), text)
  assert(text:find('forces replacement', 1, true), text)
  assert(text:find('map of string', 1, true), text)
end)

test('a half-typed block keeps the hints of the others', function()
  local pet = line_of('resource "random_pet" "unkept"')
  vim.api.nvim_buf_set_lines(buffer, pet, pet, false, { 'resource "random_pet" "half" {', '  keepers = {', '    a = "', '' })
  wait_for('error', function()
    return #vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) > 0
  end)
  wait_for('screen', function() return drawn():find('⟳ forces replacement', 1, true) end)
  wait_for('lens', function() return lenses()[row - 2] == '-/+ replace' end)
  vim.api.nvim_buf_set_lines(buffer, pet, pet + 4, false, {})
  wait_for('no error', function()
    return #vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) == 0
  end)
end)

test('a sensitive value is never on the screen, but where it is written', function()
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, {
    'variable "secret" {', '  sensitive = true', '  default   = "MARKER-SECRET"', '}',
    'locals {', '  copy = "copy of ${var.secret}"', '}',
    'resource "random_pet" "secret" {', '  prefix = local.copy', '}',
  })
  vim.cmd('normal! G')
  wait_for('lens', function() return lenses()[line_of('"random_pet" "secret"')] == '+ create' end)
  vim.lsp.inlay_hint.get({ bufnr = buffer })
  local _, count = screen():gsub('MARKER%-SECRET', '')
  assert(count == 1, screen())
  for _, place in ipairs({ { '"secret" {', 12 }, { 'copy = ', 3 }, { 'copy = ', 22 }, { 'prefix = local.copy', 4 }, { 'prefix = local.copy', 14 } }) do
    local text = hover(line_of(place[1]), place[2])
    assert(text ~= '' and not text:find('MARKER-SECRET', 1, true), text)
  end
  assert(not vim.inspect(vim.diagnostic.get(buffer)):find('MARKER-SECRET', 1, true))
  vim.api.nvim_buf_set_lines(buffer, last, -1, false, {})
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
end)

test('the plan beside the text follows the typing', function()
  vim.opt.runtimepath:append(vim.env.PLUGIN)
  vim.cmd('runtime plugin/planlens.lua')
  vim.cmd('PlanlensPlan')
  local plan
  for _, each in ipairs(vim.api.nvim_list_bufs()) do
    plan = vim.b[each].planlens_uri and each or plan
  end
  local function text() return table.concat(vim.api.nvim_buf_get_lines(plan, 0, -1, false), '\n') end
  wait_for('plan', function() return text():find('random_string.word must be replaced', 1, true) end)
  assert(vim.api.nvim_get_current_buf() == buffer)
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, { 'resource "random_pet" "another" {', '}' })
  wait_for('another', function() return text():find('random_pet.another will be created', 1, true) end)
  vim.api.nvim_buf_set_lines(buffer, last, -1, false, {})
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  vim.cmd('only')
end)

test('completion and definition know the module', function()
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, { 'output "o" {', '  value = random_string.word.', '}' })
  local uri = vim.lsp.util.make_text_document_params(buffer)
  local at = { textDocument = uri, position = { line = last + 1, character = 29 } }
  local labels = {}
  local answer = client().request_sync('textDocument/completion', at, 10000, buffer).result
  for _, item in ipairs(answer.items) do
    labels[item.label] = item.detail
  end
  assert(labels.result == 'computed, string' and labels.length == '8', vim.inspect(labels))
  vim.api.nvim_buf_set_lines(buffer, last, -1, false, {})
  local place = { textDocument = uri, position = { line = line_of('keepers = local.keepers'), character = 16 } }
  local definition = client().request_sync('textDocument/definition', place, 10000, buffer).result
  local target = definition.range or definition[1].targetRange
  assert(target.start.line == line_of('keepers = {'), vim.inspect(definition))
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
end)

test('a quick fix writes the name that was meant', function()
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, { 'output "o" {', '  value = random_string.wrod.result', '}' })
  local function errors()
    return vim.tbl_map(function(each) return each.code end, vim.diagnostic.get(buffer, { lnum = last + 1 }))
  end
  wait_for('diagnostic', function() return vim.deep_equal(errors(), { 'undeclared-reference' }) end)
  vim.api.nvim_win_set_cursor(0, { last + 2, 28 })
  vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })
  wait_for('fix', function() return line_of('value = random_string.word.result') == last + 1 end)
  wait_for('no diagnostic', function() return #errors() == 0 end)
  say('   fixed:', vim.trim(vim.api.nvim_buf_get_lines(buffer, last + 1, last + 2, false)[1]))
  vim.api.nvim_buf_set_lines(buffer, last, -1, false, {})
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
end)

test('a rename reaches three files, with its moved block, and the plan has no change', function()
  vim.api.nvim_feedkeys('ciwyes' .. vim.keycode('<Esc>'), 'xt', false)
  local others = {}
  for _, name in ipairs({ 'one.tf', 'two.tf' }) do
    vim.cmd('edit ' .. module .. '/' .. name)
    others[name] = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'output "' .. name:sub(1, 3) .. '" {', '  value = random_string.word.result', '}' })
  end
  vim.cmd('buffer ' .. buffer)
  local head = line_of('resource "random_string" "word"')
  wait_for('lens', function() return lenses()[head] == 'no change' end)
  vim.api.nvim_win_set_cursor(0, { head + 1, #'resource "random_string" "' + 1 })
  -- Neovim sends what was typed in other buffers a moment later.
  local place = vim.lsp.util.make_position_params(0, 'utf-8')
  place.context = { includeDeclaration = false }
  wait_for('uses', function()
    local answer = client().request_sync('textDocument/references', place, 10000, buffer)
    local uses = vim.inspect(answer and answer.result)
    return uses:find('one.tf', 1, true) and uses:find('two.tf', 1, true)
  end)
  vim.lsp.buf.rename('term')
  wait_for('name', function() return line_of('resource "random_string" "term"') == head end)
  for _, other in pairs(others) do
    local text = table.concat(vim.api.nvim_buf_get_lines(other, 0, -1, false), '\n')
    assert(text:find('random_string.term.result', 1, true), text)
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  assert(text:find('from = random_string.word\n  to   = random_string.term', 1, true), text)
  wait_for('lens', function() return lenses()[head] == 'no change · moved from random_string.word' end)
  say('   lens:', lenses()[head])
  for _, other in ipairs({ buffer, others['one.tf'], others['two.tf'] }) do
    vim.api.nvim_buf_call(other, function() vim.cmd('silent undo') end)
  end
  assert(line_of('resource "random_string" "word"') == head)
  for _, other in ipairs({ others['one.tf'], others['two.tf'] }) do
    vim.api.nvim_buf_delete(other, { force = true })
  end
  wait_for('lens', function() return lenses()[head] == 'no change' end)
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  vim.api.nvim_feedkeys('ciwno' .. vim.keycode('<Esc>'), 'xt', false)
end)

test('a code action adds count, with a moved block, and the plan has no change', function()
  vim.api.nvim_feedkeys('ciwyes' .. vim.keycode('<Esc>'), 'xt', false)
  local head = line_of('resource "random_string" "word"')
  wait_for('no diagnostic', function() return #replacements() == 0 end)
  wait_for('lens', function() return lenses()[head] == 'no change' end)
  vim.api.nvim_win_set_cursor(0, { head + 1, 2 })
  -- What was typed is a step of its own.
  vim.cmd('let &undolevels = &undolevels')
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { 'refactor' }, diagnostics = {} },
    filter = function(action) return action.title == 'Add count to random_string.word' end,
  })
  wait_for('count', function() return vim.api.nvim_buf_get_lines(buffer, head + 1, head + 2, false)[1] == '  count = 1' end)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  assert(text:find('from = random_string.word\n  to   = random_string.word[0]', 1, true), text)
  wait_for('lens', function() return lenses()[head] == 'no change · moved from random_string.word' end)
  say('   lens:', lenses()[head])
  vim.cmd('silent undo')
  text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  assert(not text:find('count = 1', 1, true) and not text:find('moved', 1, true), text)
  wait_for('lens', function() return lenses()[head] == 'no change' end)
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  vim.api.nvim_feedkeys('ciwno' .. vim.keycode('<Esc>'), 'xt', false)
end)

test('nothing was saved', function()
  assert(vim.bo[buffer].modified)
  local file = assert(io.open(module .. '/main.tf')):read('*a')
  assert(file:find('"yes"', 1, true))
end)

test('taking the change back takes away what it forces', function()
  vim.api.nvim_feedkeys('ciwyes' .. vim.keycode('<Esc>'), 'xt', false)
  wait_for('no diagnostic', function() return #replacements() == 0 end)
  wait_for('no hint', function() return not hints():find('forces replacement') end)
  wait_for('lens', function() return lenses()[row - 2] == 'no change' end)
  wait_for('screen', function() return not drawn():find('forces replacement') end)
end)

test('an environment is picked, the plan is made with it, and the status tells it', function()
  local planlens = require('planlens')
  vim.fn.mkdir(module .. '/terraform.tfstate.d/blue', 'p')
  local listed
  local function pick(name)
    vim.ui.select = function(items, options, done)
      listed = vim.tbl_map(options.format_item, items)
      for _, item in ipairs(items) do
        if item.name == name then
          return done(item)
        end
      end
    end
    vim.cmd('PlanlensEnvironment')
  end
  local function status()
    planlens.handlers['planlens/status'](nil, client().request_sync('planlens/plan', vim.empty_dict(), 10000, buffer).result)
    return planlens.statusline()
  end
  pick('workspace blue')
  -- Nothing exists in that workspace.
  wait_for('lens', function() return lenses()[row - 2] == '+ create' end)
  wait_for('status', function() return status():find('[workspace blue]', 1, true) end)
  say('   status:', status())
  pick('')
  wait_for('lens', function() return lenses()[row - 2] == 'no change' end)
  wait_for('status', function() return not status():find('[', 1, true) end)
  assert(vim.deep_equal(listed, { 'no environment', '* workspace blue  workspace blue' }), vim.inspect(listed))
  vim.fn.delete(module .. '/terraform.tfstate.d', 'rf')
end)

test('a module is shown as all its callers plan it, or as the one that is picked', function()
  vim.fn.mkdir(module .. '/app', 'p')
  vim.fn.writefile({ 'variable "size" {', '}', '', 'resource "terraform_data" "some" {', '  count = var.size', '}' }, module .. '/app/main.tf')
  local caller = buffer
  local last = vim.api.nvim_buf_line_count(caller)
  vim.api.nvim_buf_set_lines(caller, last, last, false, { 'module "app" {', '  source   = "./app"', '  for_each = { a = 1, b = 2 }', '  size     = each.value', '}' })
  vim.cmd('edit ' .. module .. '/app/main.tf')
  buffer = vim.api.nvim_get_current_buf()
  wait_for('lens', function() return (lenses()[3] or ''):find('1 of 2 module instances', 1, true) end)
  -- Markdown escapes brackets.
  local text = hover(4, 14):gsub('\\', '')
  assert(text:find('module.app["a"]', 1, true) and text:find('module.app["b"]', 1, true), text)
  vim.ui.select = function(items, options, done)
    local shown = vim.tbl_map(options.format_item, items)
    assert(shown[1] == 'all callers' and shown[4]:find('module.app["b"]', 1, true), vim.inspect(shown))
    done(items[4])
  end
  vim.cmd('PlanlensCaller')
  wait_for('lens', function() return lenses()[3] == '+ create · 2 instances' end)
  local planlens = require('planlens')
  planlens.handlers['planlens/status'](nil, client().request_sync('planlens/plan', vim.empty_dict(), 10000, buffer).result)
  say('   status:', planlens.statusline())
  assert(planlens.statusline():find('called by module: module.app["b"]', 1, true), planlens.statusline())
  vim.api.nvim_buf_delete(buffer, { force = true })
  buffer = caller
  vim.api.nvim_buf_set_lines(buffer, last, -1, false, {})
  vim.fn.delete(module .. '/app', 'rf')
end)

test('the doctor tells what planning depends on', function()
  vim.cmd('PlanlensDoctor')
  wait_for('page', function() return vim.b.planlens_doctor end)
  local page = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  assert(page:find('hashicorp/random: required', 1, true) and page:find('prevents planning', 1, true), page)
  vim.cmd('bwipeout')
end)

test('the plugin knows the files of OpenTofu, tests and Terragrunt, and takes no other HCL', function()
  local function taken(name)
    local other = vim.fn.bufadd(module .. '/' .. name)
    vim.bo[other].filetype = vim.filetype.match({ filename = name })
    local is_taken = require('planlens').takes(other)
    vim.cmd('bwipeout ' .. other)
    return is_taken
  end
  assert(vim.filetype.match({ filename = 'main.tofu' }) == 'opentofu')
  for _, name in ipairs({ 'a.tftest.hcl', 'a.tofutest.hcl', 'terragrunt.hcl', 'root.hcl' }) do
    assert(taken(name), name)
  end
  assert(not taken('image.pkr.hcl'))
end)

test('a server that is killed comes back', function()
  local before = client()
  vim.lsp.stop_client(before.id, true)
  -- Without a shell, which would find itself.
  local function servers() return vim.trim(vim.fn.system({ 'pgrep', '-P', tostring(vim.fn.getpid()), '-f', 'planlens lsp' })) end
  wait_for('end', function() return not client() and servers() == '' end)
  vim.lsp.codelens.clear(nil, buffer)
  local config = vim.tbl_extend('force', dofile(vim.env.PLUGIN .. '/lsp/planlens.lua'), { name = 'planlens', root_dir = module, init_options = { trust = 'always', actions = { show = 'all', place = 'lens' } } })
  vim.lsp.start(config, { bufnr = buffer })
  wait_for('start', function() return client() and client().initialized end)
  -- In the middle of an answer.
  vim.lsp.codelens.refresh({ bufnr = buffer })
  local first = client().id
  local pid = servers()
  assert(pid:match('^%d+$'), pid)
  vim.uv.kill(tonumber(pid), 'sigkill')
  wait_for('another', function() return client() and client().id ~= first and client().initialized end)
  wait_for('lens', function() return lenses()[row - 2] == 'no change' end)
  -- This one asked to be told how the plans stand.
  wait_for('status', function() return require('planlens').statusline() == 'no changes' end)
  -- One that is told to end stays away.
  vim.lsp.stop_client(client().id, true)
  wait_for('end', function() return not client() and servers() == '' end)
  assert(not vim.wait(1500, function() return client() ~= nil end), 'a server that was stopped came back')
end)

support.finish(function()
  for _, each in ipairs(vim.diagnostic.get(buffer)) do
    say('diagnostic:', tostring(each.code), each.message)
  end
  say('lenses:', vim.inspect(lenses()))
  say('hints:', hints())
end)
